// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdmacm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** The text of the pings: the number of the ping, then the letters from A to z, which begin one later in each ping. */
final class RpingData {
    private static final int FIRST = 'A';
    private static final int LETTERS = 'z' - FIRST + 1;

    private RpingData() {}

    /** Writes the text of a ping; the last byte is 0. */
    static void fill(MemorySegment memory, int ping) {
        byte[] head = ("rdma-ping-" + ping + ": ").getBytes(StandardCharsets.US_ASCII);
        int size = (int) memory.byteSize();
        for (int i = 0; i < size - 1; i++) {
            int letter = FIRST + (ping % LETTERS + Math.max(0, i - head.length)) % LETTERS;
            memory.set(ValueLayout.JAVA_BYTE, i, i < head.length ? head[i] : (byte) letter);
        }
        memory.set(ValueLayout.JAVA_BYTE, size - 1, (byte) 0);
    }

    /** The text up to the first 0, and at most {@code bytes}. */
    static String text(MemorySegment memory, int bytes) {
        int length = length(memory, bytes);
        return new String(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }

    /** Number of bytes before the first 0, at most {@code bytes}. */
    static int length(MemorySegment memory, int bytes) {
        int length = 0;
        while (length < bytes && memory.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return length;
    }
}
