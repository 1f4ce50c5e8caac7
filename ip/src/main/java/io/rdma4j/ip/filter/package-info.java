// SPDX-License-Identifier: Apache-2.0
/**
 * Packet filters: tables of rules that match and mark packets ({@link io.rdma4j.ip.filter.FilterTable}), and flow
 * tracking ({@link io.rdma4j.ip.filter.FlowTracker}). Corresponds to iptables and conntrack of the kernel.
 *
 * <p>Applications register them in the {@link io.rdma4j.net.skb.PacketHooks} of a device or a namespace; no other
 * package calls them.
 */
@NullMarked
package io.rdma4j.ip.filter;

import org.jspecify.annotations.NullMarked;
