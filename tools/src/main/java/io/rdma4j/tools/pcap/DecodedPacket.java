// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadCheck;
import io.rdma4j.wire.roce.Icrc;
import io.rdma4j.wire.roce.PacketCheck;
import io.rdma4j.wire.roce.RocePacket;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Result of the decoding of a frame.
 *
 * @param verdict the outcome
 * @param reason text that describes why it is malformed; otherwise "ok" or "not RoCE"
 * @param addresses source and destination of the network header; "?" where the frame ends before it
 * @param opcode of a well-formed packet, otherwise null
 * @param bthOffset offset of the BTH in the frame; of a well-formed packet only
 * @param payloadBytes bytes of payload without pad; of a well-formed packet only
 */
public record DecodedPacket(
        Verdict verdict,
        String reason,
        Addresses addresses,
        @Nullable Opcode opcode,
        long bthOffset,
        int payloadBytes) {
    private static final int GENERAL_SERVICES_QPN = 1;

    /** The outcomes that are counted. */
    public enum Verdict {
        /** Not RoCE. */
        NOT_ROCE,
        /** Well-formed, and the ICRC is correct. */
        ICRC_OK,
        /** Well-formed, but the ICRC is wrong. */
        ICRC_BAD,
        /** Malformed RoCE, or cut before it can be recognised as RoCE. */
        MALFORMED
    }

    /** Source and destination as text. */
    public record Addresses(String source, String destination) {
        private static final Addresses UNKNOWN = new Addresses("?", "?");

        private static Addresses of(MemorySegment memory, long offset) {
            long length = memory.byteSize() - offset;
            if (length >= Ipv4.BYTES && Ipv4.version(memory, offset) == Ipv4.VERSION) {
                return new Addresses(
                        Ipv4.toString(Ipv4.source(memory, offset)), Ipv4.toString(Ipv4.destination(memory, offset)));
            }
            if (length >= Ipv6.BYTES && Ipv6.version(memory, offset) == Ipv6.VERSION) {
                return new Addresses(
                        Ipv6.source(memory, offset).toString(),
                        Ipv6.destination(memory, offset).toString());
            }
            return UNKNOWN;
        }
    }

    /** Decodes a frame; {@code icrc} computes the checksum. Never throws, for any bytes. */
    public static DecodedPacket of(CapturedFrame frame, Icrc icrc) {
        MemorySegment memory = frame.memory();
        int network = frame.link().networkOffset(memory);
        if (network == CaptureLinkType.TRUNCATED) {
            return malformed(PacketCheck.TRUNCATED.text(), Addresses.UNKNOWN);
        }
        int etherType = frame.link().etherType(memory, network);
        PacketCheck check = check(memory, network, etherType);
        if (check == PacketCheck.NOT_ROCE) {
            return new DecodedPacket(Verdict.NOT_ROCE, check.text(), Addresses.UNKNOWN, null, 0, 0);
        }
        Addresses addresses = Addresses.of(memory, network);
        if (check == PacketCheck.TRUNCATED && frame.originalLength() > frame.length()) {
            return malformed("captured " + frame.length() + " of " + frame.originalLength() + " bytes", addresses);
        }
        return check.isOk() ? wellFormed(frame, network, addresses, icrc) : malformed(check.text(), addresses);
    }

    /** Returns true for a management datagram: a UD SEND of 256 bytes to queue pair 0 or 1. */
    public boolean isMad(CapturedFrame frame) {
        return opcode == Opcode.UD_SEND_ONLY
                && Bth.destinationQpn(frame.memory(), bthOffset) <= GENERAL_SERVICES_QPN
                && payloadBytes == Mad.BYTES
                && Mad.check(frame.memory(), payloadOffset(), payloadBytes) == MadCheck.OK;
    }

    /** Offset of the payload in the frame; of a well-formed packet only. */
    public long payloadOffset() {
        return opcode == null ? 0 : bthOffset + opcode.headerBytes();
    }

    /** The ether type distinguishes IP and GRH, whose headers are similar; without one only IP is possible. */
    private static PacketCheck check(MemorySegment memory, int network, int etherType) {
        boolean v1 = etherType == Ethernet.TYPE_ROCE_V1;
        boolean ip = etherType == Ethernet.TYPE_IPV4
                || etherType == Ethernet.TYPE_IPV6
                || etherType == CaptureLinkType.NO_ETHER_TYPE;
        if (!v1 && !ip) {
            return PacketCheck.NOT_ROCE;
        }
        int length = (int) memory.byteSize() - network;
        boolean grh = length >= Ipv6.BYTES && RocePacket.isV1(memory, network);
        if (v1 && !grh) {
            return length < Ipv6.BYTES ? PacketCheck.TRUNCATED : PacketCheck.BAD_LENGTH;
        }
        return grh && !v1 ? PacketCheck.NOT_ROCE : RocePacket.checkNetwork(memory, network, length);
    }

    private static DecodedPacket malformed(String reason, Addresses addresses) {
        return new DecodedPacket(Verdict.MALFORMED, reason, addresses, null, 0, 0);
    }

    private static DecodedPacket wellFormed(CapturedFrame frame, int network, Addresses addresses, Icrc icrc) {
        MemorySegment memory = frame.memory();
        long bth = RocePacket.bthOffset(memory, network);
        int transport = RocePacket.transportBytes(memory, network);
        Opcode opcode = Bth.opcode(memory, bth);
        if (opcode == null) {
            throw new AssertionError("the check lets known opcodes pass only");
        }
        int icrcOffset = (int) bth + transport - Icrc.BYTES;
        int computed = icrc.compute(memory, frame.view(), network, icrcOffset);
        return new DecodedPacket(
                computed == Icrc.load(memory, icrcOffset) ? Verdict.ICRC_OK : Verdict.ICRC_BAD,
                PacketCheck.OK.text(),
                addresses,
                opcode,
                bth,
                RocePacket.payloadBytes(memory, bth, transport, opcode));
    }
}
