// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Transport headers and payload.
 *
 * @param memory the frame
 * @param bthOffset offset of the BTH in the frame
 * @param opcode of the BTH
 * @param payloadBytes bytes of payload without pad
 */
record TransportContent(MemorySegment memory, long bthOffset, Opcode opcode, int payloadBytes)
        implements PacketContent {
    private static final int GENERAL_SERVICES_QPN = 1;

    /** The content of a packet that a format check accepted. */
    static TransportContent of(MemorySegment memory, long bthOffset, int transportBytes) {
        Opcode opcode = Objects.requireNonNull(Bth.opcode(memory, bthOffset), "the check lets known opcodes pass only");
        return new TransportContent(
                memory, bthOffset, opcode, RocePacket.payloadBytes(memory, bthOffset, transportBytes, opcode));
    }

    @Override
    public String name() {
        return opcode.text();
    }

    @Override
    public void describe(FieldSink sink) {
        RocePacket.describe(memory, bthOffset, opcode, sink);
        sink.decimal("payload", payloadBytes);
    }

    /** A management datagram is a UD SEND of 256 bytes to queue pair 0 or 1. */
    @Override
    public long madOffset() {
        long payload = bthOffset + opcode.headerBytes();
        return opcode == Opcode.UD_SEND_ONLY
                        && Bth.destinationQpn(memory, bthOffset) <= GENERAL_SERVICES_QPN
                        && payloadBytes == Mad.BYTES
                        && Mad.check(memory, payload, payloadBytes) == MadCheck.OK
                ? payload
                : NO_MAD;
    }
}
