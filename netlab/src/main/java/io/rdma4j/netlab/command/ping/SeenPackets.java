// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ping;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.receive.PacketTap;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Queues the first bytes of a device's received and sent packets for a thread that prints them. Packets beyond the
 * capacity are only counted. Allocates memory for each packet.
 */
final class SeenPackets implements PacketTap {
    private static final int PACKETS = 4096;

    /** Maximum size of the headers that are printed. */
    private static final int SNAP_BYTES = 128;

    /** A packet: its first bytes, including the link header, and its length on the link. */
    record Seen(MemorySegment bytes, LinkType link, int length) {}

    private final NetDevice device;
    private final ArrayBlockingQueue<Seen> waiting = new ArrayBlockingQueue<>(PACKETS);
    private volatile long missed;

    SeenPackets(NetDevice device) {
        this.device = device;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // only one loop thread at a time counts
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

    /** Removes the oldest packet; null if there is none. */
    @Nullable
    Seen take() {
        return waiting.poll();
    }

    /** Number of packets beyond the capacity. */
    long missed() {
        return missed;
    }
}
