// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The packets of the buffers that an engine makes: a buffer is a packet or a {@link Train}. Writes the transport
 * headers, the payload and the padding of each packet; the carrier adds its own headers and the ICRC. One thread at a
 * time.
 *
 * <p>In all methods, {@code bth} is the offset of the BTH from the first byte of the buffer, and {@code index} counts
 * the packets from 0.
 */
public final class TrainPackets {
    private static final int PAD_MASK = 3;

    private final Train description = new Train();

    /** Returns the number of packets of a buffer. */
    public static int count(SkBuff train) {
        return train.shinfo().isGso() ? train.shinfo().gsoSegs() : 1;
    }

    /** Returns the bytes of a packet from its BTH to the end of its padding. */
    public int bytes(SkBuff train, int bth, int index) {
        int payload = payloadBytes(train, index);
        return opcode(train, bth, index).headerBytes() + payload + padBytes(payload);
    }

    /** Returns the bytes of the first packet from its BTH to the end of its padding. */
    public static int firstBytes(SkBuff train, int bth) {
        int payload = payloadBytes(train, 0);
        return train.headLen() - bth + payload + padBytes(payload);
    }

    /**
     * Writes a packet from its BTH to the end of its padding.
     *
     * @param memory has room for {@link #bytes}
     * @param at offset of the first byte
     * @return false if the memory of the payload is closed; the bytes written are worthless then
     */
    public boolean write(SkBuff train, int bth, int index, MemorySegment memory, int at) {
        int payload = payloadBytes(train, index);
        int pad = padBytes(payload);
        Opcode opcode = opcode(train, bth, index);
        writeHeaders(train, bth, index, opcode, memory, at, pad);
        int body = at + opcode.headerBytes();
        try {
            train.copyBits(train.headLen() + index * train.shinfo().gsoSize(), memory, body, payload);
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
        for (int i = 0; i < pad; i++) {
            memory.set(ValueLayout.JAVA_BYTE, body + (long) payload + i, (byte) 0);
        }
        return true;
    }

    private void writeHeaders(
            SkBuff train, int offset, int index, Opcode opcode, MemorySegment memory, int bth, int pad) {
        int from = train.data() + offset;
        if (!train.shinfo().isGso()) {
            MemorySegment.copy(train.memory(), from, memory, bth, opcode.headerBytes());
            Bth.padCount(memory, bth, pad);
            return;
        }
        // The train contains the headers of the first packet. Other packets have part of them; the last one may have
        // one more word.
        int common = Train.commonBytes(opcode(train, offset, 0));
        MemorySegment.copy(train.memory(), from, memory, bth, index == 0 ? opcode.headerBytes() : common);
        Bth.padCount(memory, bth, pad);
        Bth.opcode(memory, bth, opcode);
        Bth.psn(memory, bth, Psn.add(Bth.psn(train.memory(), from), index));
        if (index == count(train) - 1) {
            description.over(train);
            Bth.solicitedEvent(memory, bth, description.solicited());
            Bth.ackRequest(memory, bth, description.ackRequest());
            if (opcode.headerBytes() > common) {
                ImmDt.write(memory, bth + (long) common, description.lastWord());
            }
        }
    }

    private Opcode opcode(SkBuff train, int bth, int index) {
        if (index > 0 && index == count(train) - 1) {
            description.over(train);
            return description.lastOpcode();
        }
        Opcode first = Bth.opcode(train.memory(), train.data() + (long) bth);
        if (first == null) {
            throw new IllegalStateException("a buffer without a BTH at " + bth);
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

    private static int padBytes(int payload) {
        return -payload & PAD_MASK;
    }
}
