// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.FlowKeys;
import org.jspecify.annotations.Nullable;

/**
 * One tracked flow ({@code struct nf_conn}), identified by the addresses and ports of its first packet.
 *
 * <p>Allocated per flow, not per packet. Packets may refer to it after the tracker has removed it; it then keeps its
 * last state. Written by the owner of the loop.
 */
public final class FlowEntry {
    private final long sourceHigh;
    private final long sourceLow;
    private final long destinationHigh;
    private final long destinationLow;
    private final int protocol;
    private final int sourcePort;
    private final int destinationPort;
    private boolean answered;
    private long packets;

    /** Next entry of the same bucket. */
    @Nullable
    FlowEntry next;

    /** True while the entry is in the table: after its first packet has passed all filters, until it is removed. */
    boolean confirmed;

    long expiresNs;

    /** Index of its bucket in the table. */
    final int bucket;

    FlowEntry(FlowTuple first, int bucket) {
        this.bucket = bucket;
        FlowKeys keys = first.keys();
        sourceHigh = keys.sourceHigh();
        sourceLow = keys.sourceLow();
        destinationHigh = keys.destinationHigh();
        destinationLow = keys.destinationLow();
        protocol = keys.protocol();
        sourcePort = first.sourcePort();
        destinationPort = first.destinationPort();
    }

    /** True for a packet in the direction of the first one. */
    boolean isOriginal(FlowTuple tuple) {
        FlowKeys keys = tuple.keys();
        return protocol == keys.protocol()
                && sourcePort == tuple.sourcePort()
                && destinationPort == tuple.destinationPort()
                && sourceLow == keys.sourceLow()
                && destinationLow == keys.destinationLow()
                && sourceHigh == keys.sourceHigh()
                && destinationHigh == keys.destinationHigh();
    }

    /** True for a packet in the opposite direction. */
    boolean isReply(FlowTuple tuple) {
        FlowKeys keys = tuple.keys();
        return protocol == keys.protocol()
                && sourcePort == tuple.destinationPort()
                && destinationPort == tuple.sourcePort()
                && sourceLow == keys.destinationLow()
                && destinationLow == keys.sourceLow()
                && sourceHigh == keys.destinationHigh()
                && destinationHigh == keys.sourceHigh();
    }

    boolean isSame(FlowEntry other) {
        return protocol == other.protocol
                && sourcePort == other.sourcePort
                && destinationPort == other.destinationPort
                && sourceLow == other.sourceLow
                && destinationLow == other.destinationLow
                && sourceHigh == other.sourceHigh
                && destinationHigh == other.destinationHigh;
    }

    void see(boolean reply) {
        packets++;
        answered |= reply;
    }

    /** {@return source address of its first packet; IPv4 mapped into IPv6} */
    public Gid source() {
        return new Gid(sourceHigh, sourceLow);
    }

    /** {@return destination address of its first packet; IPv4 mapped into IPv6} */
    public Gid destination() {
        return new Gid(destinationHigh, destinationLow);
    }

    /** {@return IP protocol, 8 bits} */
    public int protocol() {
        return protocol;
    }

    /** {@return source port of its first packet; identifier of an ICMP echo; 0 for other protocols} */
    public int sourcePort() {
        return sourcePort;
    }

    /** {@return destination port of its first packet; identifier of an ICMP echo; 0 for other protocols} */
    public int destinationPort() {
        return destinationPort;
    }

    /** {@return true if a packet in the opposite direction has arrived ({@code IPS_SEEN_REPLY})} */
    public boolean isAnswered() {
        return answered;
    }

    /** {@return number of packets in both directions} */
    public long packets() {
        return packets;
    }

    @Override
    public String toString() {
        return "protocol " + protocol + " " + source() + " port " + sourcePort + " > " + destination() + " port "
                + destinationPort + " packets " + packets + (answered ? "" : " unanswered");
    }
}
