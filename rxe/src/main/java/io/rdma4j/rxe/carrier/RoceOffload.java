// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.Train;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Makes finished RoCEv2 packets from the buffers of the engine: segments trains, adds padding and the ICRC. Linux
 * computes the ICRC in {@code rxe_icrc_generate}, one packet at a time.
 *
 * <p>A buffer begins with its IP header and contains the headers of the first packet. The control buffer of a train
 * describes its last packet. For the thread that owns the port loop only.
 */
final class RoceOffload implements PacketOffload {
    private static final int PAD_MASK = 3;

    private final Icrc icrc = new Icrc();
    private final Train description = new Train();

    /**
     * Returns the bytes of a packet, or of the first one of a train, from its BTH to the end of its ICRC.
     *
     * @param train begins with its BTH
     */
    static int transportBytes(SkBuff train) {
        int payload = payloadBytes(train, 0);
        return train.headLen() + payload + (-payload & PAD_MASK) + Icrc.BYTES;
    }

    @Override
    public int segmentBytes(SkBuff train, int index) {
        int payload = payloadBytes(train, index);
        int network = networkBytes(train);
        return network + opcode(train, index, network).headerBytes() + payload + (-payload & PAD_MASK) + Icrc.BYTES;
    }

    @Override
    public boolean segment(SkBuff train, int index, SkBuff target) {
        int network = networkBytes(train);
        int payload = payloadBytes(train, index);
        int pad = -payload & PAD_MASK;
        Opcode opcode = opcode(train, index, network);
        int start = target.put(network + opcode.headerBytes() + payload + pad + Icrc.BYTES);
        MemorySegment memory = target.memory();

        copyNetworkHeaders(train, target, start, network);
        writeTransportHeaders(train, index, opcode, network, memory, start, pad);
        int body = start + network + opcode.headerBytes();
        try {
            train.copyBits(train.headLen() + index * train.shinfo().gsoSize(), memory, body, payload);
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
        int trailer = body + payload;
        for (int i = 0; i < pad; i++) {
            memory.set(ValueLayout.JAVA_BYTE, trailer + (long) i, (byte) 0);
        }
        int crc = icrc.compute(memory, target.bytes(), start, trailer + pad);
        Icrc.store(memory, trailer + pad, crc);
        return true;
    }

    private static void copyNetworkHeaders(SkBuff train, SkBuff target, int start, int network) {
        MemorySegment memory = target.memory();
        MemorySegment.copy(train.memory(), train.data(), memory, start, network);
        int udp = start + network - Udp.BYTES;
        int udpBytes = target.len() - network + Udp.BYTES;
        Udp.length(memory, udp, udpBytes);
        if (Ipv4.version(memory, start) == Ipv4.VERSION) {
            Ipv4.totalLength(memory, start, target.len());
            Ipv4.updateChecksum(memory, start);
        } else {
            Ipv6.payloadLength(memory, start, udpBytes);
        }
        target.meta().protocol(train.meta().protocol());
        target.setNetworkHeader(0);
        target.setTransportHeader(network - Udp.BYTES);
    }

    private void writeTransportHeaders(
            SkBuff train, int index, Opcode opcode, int network, MemorySegment memory, int start, int pad) {
        int from = train.data() + network;
        int bth = start + network;
        if (!train.shinfo().isGso()) {
            MemorySegment.copy(train.memory(), from, memory, bth, opcode.headerBytes());
            Bth.padCount(memory, bth, pad);
            return;
        }
        // The train contains the headers of the first packet. Other packets have part of them; the last one may have
        // one more word.
        int common = Train.commonBytes(opcode(train, 0, network));
        MemorySegment.copy(train.memory(), from, memory, bth, index == 0 ? opcode.headerBytes() : common);
        Bth.padCount(memory, bth, pad);
        Bth.opcode(memory, bth, opcode);
        Bth.psn(memory, bth, Psn.add(Bth.psn(train.memory(), from), index));
        if (index == packets(train) - 1) {
            description.over(train);
            Bth.solicitedEvent(memory, bth, description.solicited());
            Bth.ackRequest(memory, bth, description.ackRequest());
            if (opcode.headerBytes() > common) {
                ImmDt.write(memory, bth + (long) common, description.lastWord());
            }
        }
    }

    private Opcode opcode(SkBuff train, int index, int network) {
        if (index > 0 && index == packets(train) - 1) {
            description.over(train);
            return description.lastOpcode();
        }
        Opcode first = Bth.opcode(train.memory(), train.data() + (long) network);
        if (first == null) {
            throw new IllegalStateException("a buffer that does not begin with IP, UDP and BTH");
        }
        return index == 0 ? first : Train.inner(first);
    }

    private static int payloadBytes(SkBuff train, int index) {
        int all = train.dataLen();
        return train.shinfo().isGso()
                ? Math.min(
                        train.shinfo().gsoSize(), all - index * train.shinfo().gsoSize())
                : all;
    }

    private static int packets(SkBuff train) {
        return train.shinfo().isGso() ? train.shinfo().gsoSegs() : 1;
    }

    private static int networkBytes(SkBuff train) {
        boolean v4 = Ipv4.version(train.memory(), train.data()) == Ipv4.VERSION;
        return (v4 ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
    }
}
