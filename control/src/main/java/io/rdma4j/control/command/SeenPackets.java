package io.rdma4j.control.command;

import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.PacketTap;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the beginnings of packets that a device receives and sends for a thread that prints them. What it has no room for is counted
 * and not seen. Allocates: for people who look.
 */
final class SeenPackets implements PacketTap {
    private static final int PACKETS = 4096;

    /** What the headers that are printed take at most. */
    private static final int SNAP_BYTES = 128;

    /** A packet: its first bytes, link header included, and its length on the link. */
    record Seen(MemorySegment bytes, LinkType link, int length) {}

    private final NetDevice device;
    private final ArrayBlockingQueue<Seen> waiting = new ArrayBlockingQueue<>(PACKETS);
    private volatile long missed;

    SeenPackets(NetDevice device) {
        this.device = device;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one loop counts
    public void see(SkBuff skb) {
        LinkType link = device.linkType();
        int header = link == LinkType.ETHERNET ? skb.data() - skb.macHeader() : 0;
        byte[] bytes = new byte[Math.min(header + skb.headLen(), SNAP_BYTES)];
        MemorySegment.copy(skb.memory(), skb.data() - (long) header, MemorySegment.ofArray(bytes), 0, bytes.length);
        if (!waiting.offer(new Seen(MemorySegment.ofArray(bytes), link, header + skb.len()))) {
            missed++;
        }
    }

    @Override
    public boolean seesOutgoing() {
        return true;
    }

    /** The oldest one, or null. */
    @Nullable
    Seen take() {
        return waiting.poll();
    }

    /** Packets for which there was no room. */
    long missed() {
        return missed;
    }
}
