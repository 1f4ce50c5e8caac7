// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.ib;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;

/** Packets of InfiniBand links, from their LRH to their VCRC. */
final class LinkVectors {
    /**
     * A packet.
     *
     * @param memory its bytes
     * @param view the same bytes
     */
    record Packet(String name, MemorySegment memory, ByteBuffer view) {
        int length() {
            return (int) memory.byteSize();
        }
    }

    /** The example of the specification; its ICRC is quoted in public mailing lists. */
    static final Packet PUBLISHED = packet(
            "published",
            "7012375c000e17d2 0a2024870087b1b3000dec2a 01710a1c015d400238f27a050000000e"
                    + "bb884d85fd5cfba4728bc0690ed4 0000 9625b75a 45fa");

    static final Packet A = packet("A", "10320005 0008 0002 0400ffff0000001280000abc 0001020304050607 2cc5e3b5 5e15");
    static final Packet C = packet("C", "00320005 0008 0002 0400ffff0000001280000abc 0001020304050607 2cc5e3b5 0335");
    static final Packet B = packet(
            "B",
            "0003c00000130002 60000000001c1b00 fe800000000000000000000000100002 ff12401bffff000000000000ffffffff"
                    + "6400ffff00ffffff00000001 00000b1b00000048 deadbeef 4d66cf5a 0336");
    static final Packet FLOW_CONTROL = packet("flow control", "01231456 a7a8");

    static final List<Packet> TRANSPORT = List.of(PUBLISHED, A, B, C);

    private LinkVectors() {}

    static Packet packet(String name, String digits) {
        byte[] bytes = HexFormat.of().parseHex(digits.replace(" ", ""));
        ByteBuffer view = ByteBuffer.allocateDirect(bytes.length);
        MemorySegment memory = MemorySegment.ofBuffer(view).copyFrom(MemorySegment.ofArray(bytes));
        return new Packet(name, memory, view);
    }

    static Packet copy(Packet packet) {
        ByteBuffer view = ByteBuffer.allocateDirect(packet.length());
        return new Packet(packet.name(), MemorySegment.ofBuffer(view).copyFrom(packet.memory()), view);
    }
}
