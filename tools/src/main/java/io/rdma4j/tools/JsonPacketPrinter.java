package io.rdma4j.tools;

import io.rdma4j.tools.pcap.CaptureTally;
import io.rdma4j.tools.pcap.CapturedFrame;
import io.rdma4j.tools.pcap.DecodedPacket;
import io.rdma4j.wire.FieldSink;
import io.rdma4j.wire.FieldText;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.roce.RocePacket;

/** Prints one JSON object per line. Keys and addresses are strings, because they may need more than 53 bits. */
final class JsonPacketPrinter implements PacketPrinter {
    @Override
    public String packet(long number, long timeNs, CapturedFrame frame, DecodedPacket packet) {
        JsonObject json = new JsonObject();
        json.decimal("packet", number);
        json.decimal("timeNs", timeNs);
        json.text("source", packet.addresses().source());
        json.text("destination", packet.addresses().destination());
        Opcode opcode = packet.opcode();
        if (opcode == null) {
            json.text("malformed", packet.reason());
            return json.toString();
        }
        json.text("opcode", opcode.text());
        RocePacket.describe(frame.memory(), packet.bthOffset(), opcode, json);
        json.decimal("payload", packet.payloadBytes());
        json.text("icrc", packet.verdict() == DecodedPacket.Verdict.ICRC_OK ? "ok" : "bad");
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
        return json.toString();
    }

    /** Names and texts come from the program only and contain no character that JSON escapes. */
    private static final class JsonObject implements FieldSink {
        private final StringBuilder text = new StringBuilder("{");

        @Override
        public void decimal(String name, long value) {
            key(name).append(value);
        }

        @Override
        public void hex(String name, long value, int digits) {
            text(name, FieldText.toHex(value, digits));
        }

        @Override
        public void text(String name, String value) {
            key(name).append('"').append(value).append('"');
        }

        private StringBuilder key(String name) {
            text.append(text.length() == 1 ? "\"" : ",\"");
            return text.append(name).append("\":");
        }

        @Override
        public String toString() {
            return text + "}";
        }
    }
}
