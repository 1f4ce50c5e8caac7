// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.roce;

import io.rdma4j.wire.ip.Ethernet;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** A packet in native memory, from its network header on, with a direct buffer of the same memory for the ICRC. */
record TestPacket(String name, MemorySegment memory, ByteBuffer view) {
    private static final List<String> CAPTURES = List.of(
            "rc_pingpong",
            "rc_pingpong_ipv6",
            "rc_pingpong_loss",
            "read_lat",
            "rping",
            "uc_pingpong",
            "ucmatose",
            "ud_pingpong",
            "udaddy",
            "write_lat");
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;

    static TestPacket of(String name, byte[] bytes) {
        ByteBuffer view = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
        return new TestPacket(name, MemorySegment.ofBuffer(view), view);
    }

    /** A packet from hexadecimal digits; spaces are ignored. */
    static TestPacket ofHex(String name, String hex) {
        return of(name, HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    int length() {
        return (int) memory.byteSize();
    }

    /** Offset of the ICRC at the end of the packet. */
    int icrcOffset() {
        return length() - Icrc.BYTES;
    }

    /** The packets of all captures: classic pcap, little-endian, Ethernet, RoCEv2 packets only. */
    static List<TestPacket> captured() {
        List<TestPacket> packets = new ArrayList<>();
        for (String capture : CAPTURES) {
            ByteBuffer file =
                    ByteBuffer.wrap(resource("/pcaps/" + capture + ".pcap")).order(ByteOrder.LITTLE_ENDIAN);
            int at = FILE_HEADER;
            while (at < file.limit()) {
                int length = file.getInt(at + 8);
                byte[] bytes = new byte[length - Ethernet.BYTES];
                file.get(at + RECORD_HEADER + Ethernet.BYTES, bytes);
                packets.add(of(capture + " packet " + packets.size(), bytes));
                at += RECORD_HEADER + length;
            }
        }
        return packets;
    }

    private static byte[] resource(String name) {
        try (InputStream in = Objects.requireNonNull(TestPacket.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
