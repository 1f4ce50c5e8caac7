// SPDX-License-Identifier: Apache-2.0
/** {@code ip} and its objects, {@code ifconfig}, {@code vconfig}, {@code iptables}. */
@NullMarked
package io.rdma4j.netlab.command.ip;

import org.jspecify.annotations.NullMarked;
