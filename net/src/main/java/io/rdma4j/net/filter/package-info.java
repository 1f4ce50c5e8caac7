/**
 * Packet filters: rules that match and mark ({@link io.rdma4j.net.filter.FilterTable}), and a tracker of flows
 * ({@link io.rdma4j.net.filter.FlowTracker}); iptables and conntrack, in the kernel.
 *
 * <p>Users put them into the {@link io.rdma4j.net.skb.PacketHooks} of a device or a namespace; nobody else calls this package.
 */
@NullMarked
package io.rdma4j.net.filter;

import org.jspecify.annotations.NullMarked;
