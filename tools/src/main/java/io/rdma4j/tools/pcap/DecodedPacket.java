// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
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
 * @param addresses source and destination of the network header, or LIDs; "?" where the frame ends before them
 * @param content of a well-formed packet, otherwise null
 */
public record DecodedPacket(
        Verdict verdict,
        String reason,
        Addresses addresses,
        @Nullable PacketContent content) {
    /** The outcomes that are counted. */
    public enum Verdict {
        /** Neither RoCE nor InfiniBand. */
        NOT_ROCE,
        /** A management datagram of the simulator ibsim; it has no CRC. */
        SIMULATED,
        /** Well-formed, and the ICRC is correct; the VCRC of packets that have no ICRC. */
        ICRC_OK,
        /** Well-formed, but that CRC is wrong. */
        ICRC_BAD,
        /** Malformed RoCE or InfiniBand, or cut before it can be recognised as RoCE. */
        MALFORMED
    }

    /** Source and destination as text. */
    public record Addresses(String source, String destination) {
        static final Addresses UNKNOWN = new Addresses("?", "?");

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
        if (frame.link() == CaptureLinkType.INFINIBAND) {
            return LocalContent.decode(frame, icrc);
        }
        MemorySegment memory = frame.memory();
        int network = frame.link().networkOffset(memory);
        if (network == CaptureLinkType.TRUNCATED) {
            return malformed(PacketCheck.TRUNCATED.text(), Addresses.UNKNOWN);
        }
        int etherType = frame.link().etherType(memory, network);
        PacketCheck check = check(memory, network, etherType);
        if (check == PacketCheck.NOT_ROCE) {
            DecodedPacket simulated = SimulatorContent.decode(memory, network);
            return simulated == null
                    ? new DecodedPacket(Verdict.NOT_ROCE, check.text(), Addresses.UNKNOWN, null)
                    : simulated;
        }
        Addresses addresses = Addresses.of(memory, network);
        if (check == PacketCheck.TRUNCATED && frame.originalLength() > frame.length()) {
            return cut(frame, addresses);
        }
        return check.isOk() ? wellFormed(frame, network, addresses, icrc) : malformed(check.text(), addresses);
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

    static DecodedPacket cut(CapturedFrame frame, Addresses addresses) {
        return malformed("captured " + frame.length() + " of " + frame.originalLength() + " bytes", addresses);
    }

    static DecodedPacket malformed(String reason, Addresses addresses) {
        return new DecodedPacket(Verdict.MALFORMED, reason, addresses, null);
    }

    private static DecodedPacket wellFormed(CapturedFrame frame, int network, Addresses addresses, Icrc icrc) {
        MemorySegment memory = frame.memory();
        long bth = RocePacket.bthOffset(memory, network);
        int transport = RocePacket.transportBytes(memory, network);
        int icrcOffset = (int) bth + transport - Icrc.BYTES;
        int computed = icrc.compute(memory, frame.view(), network, icrcOffset);
        return new DecodedPacket(
                computed == Icrc.load(memory, icrcOffset) ? Verdict.ICRC_OK : Verdict.ICRC_BAD,
                PacketCheck.OK.text(),
                addresses,
                TransportContent.of(memory, bth, transport));
    }
}
