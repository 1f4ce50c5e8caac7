// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.mad.MadText;
import io.rdma4j.wire.roce.RocePacket;
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
        Opcode opcode = packet.opcode();
        if (opcode == null) {
            return start + "malformed: " + packet.reason();
        }
        FieldText fields = new FieldText(start + opcode.text());
        RocePacket.describe(frame.memory(), packet.bthOffset(), opcode, fields);
        fields.decimal("payload", packet.payloadBytes());
        String line = fields + (packet.verdict() == DecodedPacket.Verdict.ICRC_OK ? " ICRC ok" : " ICRC BAD");
        if (!packet.isMad(frame)) {
            return line;
        }
        FieldText mad = new FieldText(line + " " + MadText.name(frame.memory(), packet.payloadOffset()));
        MadText.describe(frame.memory(), packet.payloadOffset(), mad);
        return mad.toString();
    }

    @Override
    public String summary(CaptureTally tally) {
        return String.format(
                Locale.ROOT,
                "%d packets, %d RoCE, %d ICRC ok, %d ICRC bad, %d malformed",
                tally.packets(),
                tally.roce(),
                tally.good(),
                tally.bad(),
                tally.malformed());
    }
}
