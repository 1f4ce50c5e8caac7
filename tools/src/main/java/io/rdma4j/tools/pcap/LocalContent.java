// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.tools.pcap.DecodedPacket.Addresses;
import io.rdma4j.tools.pcap.DecodedPacket.Verdict;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.ib.LinkPacket;
import io.rdma4j.wire.ib.LocalPacket;
import io.rdma4j.wire.ib.LocalPacketCheck;
import io.rdma4j.wire.ib.Lrh;
import io.rdma4j.wire.roce.Icrc;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A packet of an InfiniBand link.
 *
 * @param memory the frame
 * @param transport its transport headers; null for a link packet or a raw packet
 * @param goodVcrc whether its variant CRC is right
 */
record LocalContent(MemorySegment memory, @Nullable TransportContent transport, boolean goodVcrc)
        implements PacketContent {
    private static final Addresses LINK = new Addresses("link", "link");

    /** Decodes a frame of an InfiniBand link; {@code icrc} computes the checksum. */
    static DecodedPacket decode(CapturedFrame frame, Icrc icrc) {
        MemorySegment memory = frame.memory();
        if (frame.originalLength() > frame.length()) {
            return DecodedPacket.cut(frame, addresses(memory));
        }
        if (frame.length() == LinkPacket.BYTES) {
            boolean good = LinkPacket.hasGoodCrc(memory, 0);
            return new DecodedPacket(verdict(good), "ok", LINK, new LocalContent(memory, null, good));
        }
        LocalPacketCheck check = LocalPacket.check(memory, 0, frame.length());
        Addresses addresses = addresses(memory);
        if (!check.isOk()) {
            return DecodedPacket.malformed(check.text(), addresses);
        }
        boolean goodVcrc = LocalPacket.hasGoodVcrc(memory, 0);
        if (Lrh.nextHeader(memory, 0).isRaw()) {
            return new DecodedPacket(
                    verdict(goodVcrc), check.text(), addresses, new LocalContent(memory, null, goodVcrc));
        }
        boolean goodIcrc = LocalPacket.computeIcrc(icrc, memory, frame.view(), 0)
                == Icrc.load(memory, LocalPacket.icrcOffset(memory, 0));
        TransportContent transport =
                TransportContent.of(memory, LocalPacket.bthOffset(memory, 0), LocalPacket.transportBytes(memory, 0));
        return new DecodedPacket(
                verdict(goodIcrc), check.text(), addresses, new LocalContent(memory, transport, goodVcrc));
    }

    private static Verdict verdict(boolean good) {
        return good ? Verdict.ICRC_OK : Verdict.ICRC_BAD;
    }

    private static Addresses addresses(MemorySegment memory) {
        if (memory.byteSize() < Lrh.BYTES) {
            return Addresses.UNKNOWN;
        }
        return new Addresses("lid " + Lrh.sourceLid(memory, 0), "lid " + Lrh.destinationLid(memory, 0));
    }

    @Override
    public String name() {
        if (transport != null) {
            return transport.name();
        }
        return memory.byteSize() == LinkPacket.BYTES ? "flow control" : "raw";
    }

    @Override
    public void describe(FieldSink sink) {
        if (memory.byteSize() == LinkPacket.BYTES) {
            LinkPacket.describe(memory, 0, sink);
            return;
        }
        Lrh.describe(memory, 0, sink);
        if (transport != null) {
            transport.describe(sink);
        }
        sink.text("vcrc", goodVcrc ? "ok" : "bad");
    }

    @Override
    public long madOffset() {
        return transport == null ? NO_MAD : transport.madOffset();
    }
}
