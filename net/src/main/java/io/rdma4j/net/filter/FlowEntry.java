package io.rdma4j.net.filter;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.FlowKeys;
import org.jspecify.annotations.Nullable;

/**
 * One flow that the tracker remembers ({@code struct nf_conn}), named by its first packet.
 *
 * <p>Made for each flow, not for each packet. Packets may keep it after the tracker has forgotten it; then it says what was known
 * last. Written by the owner of the loop.
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

    /** Chains the entries of one bucket. */
    @Nullable
    FlowEntry next;

    /** True once its first packet has passed all filters, and the entry stands in the table. */
    boolean confirmed;

    long expiresNs;

    /** Its place in the table. */
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

    /** True for a packet that goes the way of the first one. */
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

    /** True for a packet that goes the other way. */
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

    /** {@return where its first packet came from; IPv4 mapped into IPv6} */
    public Gid source() {
        return new Gid(sourceHigh, sourceLow);
    }

    /** {@return where its first packet went; IPv4 mapped into IPv6} */
    public Gid destination() {
        return new Gid(destinationHigh, destinationLow);
    }

    /** {@return number of its IP protocol, 8 bits} */
    public int protocol() {
        return protocol;
    }

    /** {@return source port of its first packet; identifier of an echo; 0 for others} */
    public int sourcePort() {
        return sourcePort;
    }

    /** {@return destination port of its first packet; identifier of an echo; 0 for others} */
    public int destinationPort() {
        return destinationPort;
    }

    /** {@return true once a packet came the other way ({@code IPS_SEEN_REPLY})} */
    public boolean isAnswered() {
        return answered;
    }

    /** {@return how many packets of both directions the tracker has seen} */
    public long packets() {
        return packets;
    }

    @Override
    public String toString() {
        return "protocol " + protocol + " " + source() + " port " + sourcePort + " > " + destination() + " port "
                + destinationPort + " packets " + packets + (answered ? "" : " unanswered");
    }
}
