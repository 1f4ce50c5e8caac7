// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** Management datagrams of captures. */
final class MadVectors {
    /**
     * A datagram.
     *
     * @param name capture, frame and message
     * @param memory 256 bytes
     */
    record Vector(String name, MemorySegment memory) {}

    private static final int PCAP_HEADER = 24;
    private static final int PCAP_RECORD_HEADER = 16;
    /** Ethernet, IPv4, UDP, and the 32 bytes of the simulator's protocol. */
    private static final int SIMULATOR_HEADERS = 14 + 20 + 8 + 32;

    private MadVectors() {}

    /** The CM messages of Linux programs: paragraphs of a name and eight lines of digits. */
    static List<Vector> cm() {
        List<Vector> vectors = new ArrayList<>();
        String text = new String(resource("/mad/cm_vectors.txt"), StandardCharsets.UTF_8);
        for (String paragraph : text.split("\n\n", -1)) {
            String[] lines = paragraph.strip().split("\n", 2);
            if (!lines[0].startsWith("#")) {
                byte[] bytes = HexFormat.of().parseHex(lines[1].replace("\n", ""));
                vectors.add(new Vector(lines[0], memory(bytes)));
            }
        }
        return vectors;
    }

    /** One datagram of each class, method and attribute of a simulated InfiniBand subnet. */
    static List<Vector> catalogue() {
        List<Vector> vectors = new ArrayList<>();
        ByteBuffer file =
                ByteBuffer.wrap(resource("/mad/mad_catalogue_umad2sim.pcap")).order(ByteOrder.LITTLE_ENDIAN);
        int at = PCAP_HEADER;
        while (at < file.limit()) {
            byte[] bytes = new byte[Mad.BYTES];
            file.get(at + PCAP_RECORD_HEADER + SIMULATOR_HEADERS, bytes);
            vectors.add(new Vector("catalogue " + (vectors.size() + 1), memory(bytes)));
            at += PCAP_RECORD_HEADER + file.getInt(at + 8);
        }
        return vectors;
    }

    static MemorySegment memory(byte[] bytes) {
        return Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    }

    static byte[] resource(String name) {
        try (InputStream in = Objects.requireNonNull(MadVectors.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
