// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.tools.pcap.PacketContent;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.mad.table.MadText;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prints one JSON object per line. Keys and addresses are strings, because they may need more than 53 bits. */
final class JsonPacketPrinter implements PacketPrinter {
    @Override
    public String packet(long number, long timeNs, CapturedFrame frame, DecodedPacket packet) {
        JsonObject json = new JsonObject();
        json.decimal("packet", number);
        json.decimal("timeNs", timeNs);
        json.text("source", packet.addresses().source());
        json.text("destination", packet.addresses().destination());
        PacketContent content = packet.content();
        if (content == null) {
            json.text("malformed", packet.reason());
            return json.toString();
        }
        json.text("opcode", content.name());
        content.describe(json);
        if (packet.verdict() != DecodedPacket.Verdict.SIMULATED) {
            json.text("icrc", packet.verdict() == DecodedPacket.Verdict.ICRC_OK ? "ok" : "bad");
        }
        if (content.madOffset() != PacketContent.NO_MAD) {
            JsonObject mad = new JsonObject();
            mad.text("message", MadText.name(frame.memory(), content.madOffset()));
            MadText.describe(frame.memory(), content.madOffset(), mad);
            json.members.put("mad", mad.members);
        }
        return json.toString();
    }

    @Override
    public String summary(CaptureTally tally) {
        JsonObject json = new JsonObject();
        json.decimal("packets", tally.packets());
        json.decimal("roce", tally.roce());
        json.decimal("icrcOk", tally.good());
        json.decimal("icrcBad", tally.bad());
        json.decimal("malformed", tally.malformed());
        if (tally.infiniBand() > 0) {
            json.decimal("infiniBand", tally.infiniBand());
        }
        if (tally.simulated() > 0) {
            json.decimal("umad2sim", tally.simulated());
        }
        return json.toString();
    }

    private static final class JsonObject implements FieldSink {
        private final Map<String, Object> members = new LinkedHashMap<>();

        @Override
        public void decimal(String name, long value) {
            members.put(name, value);
        }

        @Override
        public void hex(String name, long value, int digits) {
            text(name, FieldText.toHex(value, digits));
        }

        @Override
        public void text(String name, String value) {
            members.put(name, value);
        }

        @Override
        public String toString() {
            return Json.text(members);
        }
    }
}
