// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Grh;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ib.LinkNextHeader;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Makes packets as an end port sends them: without ICRC. */
final class Packets {
    static final int PKEY = 0xFFFF;
    private static final int BYTES = 4096 + LocalPacket.MAX_HEADER_BYTES;

    private final SkBuffPool pool = SkBuffPool.growing(20_000, 512);
    private final SkBuffPool large = SkBuffPool.growing(4_000, BYTES);

    /** An RC SEND only; the payload is a multiple of 4 bytes and is filled with the low byte of the number. */
    SkBuff send(int slid, int dlid, int serviceLevel, int payload, int number) {
        return packet(LinkNextHeader.LOCAL, slid, dlid, serviceLevel, payload, number, PKEY);
    }

    SkBuff withPkey(int slid, int dlid, int pkey) {
        return packet(LinkNextHeader.LOCAL, slid, dlid, 0, 8, 0, pkey);
    }

    /** A packet to a multicast group, with a GRH. */
    SkBuff multicast(int slid, int mlid, int payload, int number) {
        return packet(LinkNextHeader.GLOBAL, slid, mlid, 0, payload, number, PKEY);
    }

    private SkBuff packet(
            LinkNextHeader next, int slid, int dlid, int serviceLevel, int payload, int number, int pkey) {
        int headers = Lrh.BYTES + next.bytes() + Bth.BYTES;
        SkBuff skb = take(headers + payload);
        MemorySegment memory = skb.memory();
        int at = skb.put(headers + payload);
        Lrh.write(memory, at, 0, serviceLevel, next, dlid, (headers + payload + Icrc.BYTES) / 4, slid);
        if (next == LinkNextHeader.GLOBAL) {
            Grh.write(memory, at + Lrh.BYTES, 0, 0, Bth.BYTES + payload + Icrc.BYTES, 0, 1, slid, 0xFF12L << 48, dlid);
        }
        int bth = at + Lrh.BYTES + next.bytes();
        Bth.write(memory, bth, Opcode.RC_SEND_ONLY, false, false, 0, pkey, 0x12, true, number & 0xFF_FFFF);
        memory.asSlice(bth + Bth.BYTES, payload).fill((byte) number);
        return skb;
    }

    /** A datagram of subnet management. */
    SkBuff management(int slid, int dlid) {
        int headers = Lrh.BYTES + Bth.BYTES + Deth.BYTES;
        SkBuff skb = take(headers + 256);
        MemorySegment memory = skb.memory();
        int at = skb.put(headers + 256);
        memory.asSlice(at, headers + 256).fill((byte) 0);
        Lrh.write(memory, at, 15, 0, LinkNextHeader.LOCAL, dlid, (headers + 256 + Icrc.BYTES) / 4, slid);
        Bth.write(memory, at + Lrh.BYTES, Opcode.UD_SEND_ONLY, false, false, 0, PKEY, 0, false, 0);
        return skb;
    }

    SkBuff raw(int slid, int dlid, int words) {
        SkBuff skb = take(words * 4);
        int at = skb.put(words * 4);
        Lrh.write(skb.memory(), at, 0, 0, LinkNextHeader.RAW_ETHERTYPE, dlid, words, slid);
        return skb;
    }

    private SkBuff take(int bytes) {
        return Objects.requireNonNull((bytes > 512 ? large : pool).allocate());
    }

    static int number(SkBuff skb) {
        return Bth.psn(skb.memory(), LocalPacket.bthOffset(skb.memory(), skb.data()));
    }

    static int slid(SkBuff skb) {
        return Lrh.sourceLid(skb.memory(), skb.data());
    }

    /** Buffers that are not free. */
    int outstanding() {
        return pool.count() - pool.available() + large.count() - large.available();
    }
}
