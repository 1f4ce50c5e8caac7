// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.linux.call.MessageBatch;
import io.rdma4j.linux.call.ReceiveBuffers;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ethernet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Receives frames from a packet socket, several with one call, and restores their form on the wire. The kernel removes
 * the VLAN tag of a frame. A frame of this machine may have no checksum yet. {@code struct tpacket_auxdata} describes
 * both. For one thread at a time; allocates nothing after the constructor.
 */
final class PacketSocketReceiver {
    /**
     * Maximum number of frames that one call receives: half of the frames that a loop receives before it does other
     * work.
     */
    static final int BATCH = 32;

    private static final int VLAN_BYTES = 4;

    // struct tpacket_auxdata, after the header of the ancillary data
    private static final int AUXDATA_BYTES = 40;
    private static final int STATUS = 0;
    private static final int VLAN_TCI = 16;
    private static final int VLAN_TPID = 18;
    private static final int CHECKSUM_NOT_READY = 1 << 3;
    private static final int VLAN_VALID = 1 << 4;
    private static final int TPID_VALID = 1 << 6;
    private static final int CHECKSUM_VALID = 1 << 7;

    private static final ValueLayout.OfShort NETWORK_SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final PacketSocket socket;
    private final MessageBatch batch = new MessageBatch(BATCH, 0, AUXDATA_BYTES);
    private final ReceiveBuffers buffers;
    private int next;
    private int received;

    /**
     * @param pool of buffers with room for {@link ReceiveBuffers#HEADROOM} and a frame
     * @param maxFrameBytes with link header and a tag; longer frames are dropped
     */
    PacketSocketReceiver(PacketSocket socket, SkBuffPool pool, int maxFrameBytes) {
        this.socket = socket;
        this.buffers = new ReceiveBuffers(batch, pool, maxFrameBytes);
    }

    /** Returns the next frame, which the caller owns; null if there is none, or no buffer for it. */
    @Nullable
    SkBuff receive(NetDeviceStats stats) {
        while (next < received || fill()) {
            int index = next++;
            if (batch.isTruncated(index)) {
                stats.countReceiveError();
            } else {
                SkBuff skb = buffers.take(index);
                skb.put(batch.length(index));
                restore(skb, batch.control(index, PacketSocket.SOL_PACKET, PacketSocket.PACKET_AUXDATA));
                return skb;
            }
        }
        return null;
    }

    /** Receives a batch of frames; returns true if any arrived. */
    private boolean fill() {
        int vacant = 0;
        while (vacant < BATCH && buffers.prepare(vacant)) {
            vacant++;
        }
        next = 0;
        received = vacant == 0 ? 0 : Math.max(0, socket.receive(batch, vacant));
        return received > 0;
    }

    private void restore(SkBuff skb, long auxdata) {
        if (auxdata == MessageBatch.NONE) {
            return;
        }
        MemorySegment data = batch.controls();
        int status = data.get(ValueLayout.JAVA_INT, auxdata + STATUS);
        if ((status & CHECKSUM_NOT_READY) != 0) {
            UnfinishedChecksum.finish(skb);
        }
        if ((status & (CHECKSUM_NOT_READY | CHECKSUM_VALID)) != 0) {
            skb.meta().ipSummed(ChecksumState.UNNECESSARY);
        }
        if ((status & VLAN_VALID) != 0) {
            int protocol = (status & TPID_VALID) != 0
                    ? Short.toUnsignedInt(data.get(ValueLayout.JAVA_SHORT, auxdata + VLAN_TPID))
                    : Ethernet.TYPE_VLAN;
            insertTag(skb, protocol, data.get(ValueLayout.JAVA_SHORT, auxdata + VLAN_TCI));
        }
    }

    /** Inserts the tag between the addresses and the type ({@code vlan_insert_tag}). */
    private static void insertTag(SkBuff skb, int protocol, short tci) {
        MemorySegment memory = skb.memory();
        int from = skb.data();
        int to = skb.push(VLAN_BYTES);
        MemorySegment.copy(memory, from, memory, to, Ethernet.ETHER_TYPE);
        memory.set(NETWORK_SHORT, to + (long) Ethernet.ETHER_TYPE, (short) protocol);
        memory.set(NETWORK_SHORT, to + (long) Ethernet.BYTES, tci);
    }

    /** Drops all received frames, including those still in the socket. */
    void purge() {
        do {
            next = received;
        } while (fill());
    }

    /** Frees all buffers. */
    void close() {
        buffers.free();
    }
}
