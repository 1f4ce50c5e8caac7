// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ib.LinkPacket;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.ib.Vcrc;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Makes the bytes of packets on a wire link, and packets of the bytes that arrive. */
final class WireFormat {
    private static final int MAX_BYTES = IbPacket.MAX_BYTES + Vcrc.BYTES;
    private static final int BUFFERS = 4096;

    private final Icrc icrc = new Icrc();
    private final ByteBuffer view = ByteBuffer.allocateDirect(MAX_BYTES);
    private final MemorySegment bytes = MemorySegment.ofBuffer(view);
    private final SkBuffPool buffers = SkBuffPool.growing(BUFFERS, MAX_BYTES);

    /**
     * Replaces the buffer of a packet by one of the bytes that arrive at the other end; damaged bytes mark the packet.
     */
    void pass(IbPacket packet, @Nullable LinkNoise noise, boolean fromFirst) {
        int length = encode(packet);
        if (noise != null) {
            noise.pass(bytes.asSlice(0, length), fromFirst);
        }
        SkBuff arrived = isIntact(length) ? buffers.allocate() : null;
        if (arrived == null) {
            packet.isDamaged = true;
            return;
        }
        int at = arrived.put(length - Vcrc.BYTES);
        MemorySegment.copy(bytes, 0, arrived.memory(), at, length - Vcrc.BYTES);
        int blocks = packet.blocks;
        packet.buffer().free();
        if (!packet.read(arrived)) {
            packet.isDamaged = true;
            packet.blocks = blocks;
        }
    }

    private boolean isIntact(int length) {
        return LocalPacket.check(bytes, 0, length).isOk() && LocalPacket.hasGoodVcrc(bytes, 0);
    }

    private int encode(IbPacket packet) {
        SkBuff skb = packet.buffer();
        int length = packet.bytesOnLink();
        skb.copyBits(0, bytes, 0, skb.len());
        Lrh.virtualLane(bytes, 0, packet.lane);
        if (!packet.nextHeader.isRaw() && skb.len() < length - Vcrc.BYTES) {
            Icrc.store(bytes, LocalPacket.icrcOffset(bytes, 0), LocalPacket.computeIcrc(icrc, bytes, view, 0));
        }
        LocalPacket.storeVcrc(bytes, 0);
        return length;
    }

    /** Returns true if a link packet arrives undamaged. */
    boolean passLinkPacket(
            int operation, int blocksSent, int lane, int limit, @Nullable LinkNoise noise, boolean fromFirst) {
        LinkPacket.write(bytes, 0, operation, blocksSent, lane, limit);
        if (noise != null) {
            noise.pass(bytes.asSlice(0, LinkPacket.BYTES), fromFirst);
        }
        return LinkPacket.hasGoodCrc(bytes, 0)
                && LinkPacket.virtualLane(bytes, 0) == lane
                && LinkPacket.creditLimit(bytes, 0) == limit;
    }
}
