// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.tools.pcap.PacketContent;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.mad.table.MadText;
import java.util.Locale;

/** Prints text: {@code 3 0.000217 10.77.0.3 > 10.77.0.2 RC SEND Last qpn 0x000011 … payload 1024 ICRC ok}. */
final class TextPacketPrinter implements PacketPrinter {
    private static final double NS_PER_SECOND = 1e9;

    @Override
    public String packet(long number, long timeNs, CapturedFrame frame, DecodedPacket packet) {
        String start = String.format(
                Locale.ROOT,
                "%d %.6f %s > %s ",
                number,
                timeNs / NS_PER_SECOND,
                packet.addresses().source(),
                packet.addresses().destination());
        PacketContent content = packet.content();
        if (content == null) {
            return start + "malformed: " + packet.reason();
        }
        FieldText fields = new FieldText(start + content.name());
        content.describe(fields);
        String line = fields + icrc(packet.verdict());
        if (content.madOffset() == PacketContent.NO_MAD) {
            return line;
        }
        FieldText mad = new FieldText(line + " " + MadText.name(frame.memory(), content.madOffset()));
        MadText.describe(frame.memory(), content.madOffset(), mad);
        return mad.toString();
    }

    private static String icrc(DecodedPacket.Verdict verdict) {
        return switch (verdict) {
            case ICRC_OK -> " ICRC ok";
            case ICRC_BAD -> " ICRC BAD";
            case SIMULATED, NOT_ROCE, MALFORMED -> "";
        };
    }

    @Override
    public String summary(CaptureTally tally) {
        String line = String.format(
                Locale.ROOT,
                "%d packets, %d RoCE, %d ICRC ok, %d ICRC bad, %d malformed",
                tally.packets(),
                tally.roce(),
                tally.good(),
                tally.bad(),
                tally.malformed());
        return line
                + (tally.infiniBand() == 0 ? "" : ", " + tally.infiniBand() + " InfiniBand")
                + (tally.simulated() == 0 ? "" : ", " + tally.simulated() + " umad2sim");
    }
}
