// SPDX-License-Identifier: Apache-2.0
/** {@code ethtool}. */
@NullMarked
package io.rdma4j.netlab.command.ethtool;

import org.jspecify.annotations.NullMarked;
