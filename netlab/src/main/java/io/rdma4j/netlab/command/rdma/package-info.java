// SPDX-License-Identifier: Apache-2.0
/** {@code rdma}, on machines of a topology and on the user's own devices. */
@NullMarked
package io.rdma4j.netlab.command.rdma;

import org.jspecify.annotations.NullMarked;
