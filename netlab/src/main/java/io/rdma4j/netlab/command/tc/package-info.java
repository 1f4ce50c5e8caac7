// SPDX-License-Identifier: Apache-2.0
/** {@code tc}. */
@NullMarked
package io.rdma4j.netlab.command.tc;

import org.jspecify.annotations.NullMarked;
