package io.rdma4j.net.shm;

import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import java.lang.foreign.MemorySegment;

/**
 * Marks a packet or train of another process as one that is yet to be finished, and never will be: it is received here and goes nowhere
 * else.
 */
final class UnfinishedPacket implements PacketOffload {
    static final UnfinishedPacket INSTANCE = new UnfinishedPacket();

    private UnfinishedPacket() {}

    /** What its IP header says, which is that of the first packet of a train. */
    @Override
    public int segmentBytes(SkBuff train, int index) {
        MemorySegment memory = train.memory();
        int at = train.data();
        return Ipv4.version(memory, at) == Ipv4.VERSION
                ? Ipv4.totalLength(memory, at)
                : Ipv6.BYTES + Ipv6.payloadLength(memory, at);
    }

    /** There is nobody who knows how. */
    @Override
    public boolean segment(SkBuff train, int index, SkBuff target) {
        return false;
    }
}
