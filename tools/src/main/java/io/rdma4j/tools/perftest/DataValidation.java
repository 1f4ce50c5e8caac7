// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;

/**
 * Compares the bytes that a bandwidth test has moved with the expected ones. Each byte depends on its offset and on the
 * queue pair. No expected byte is 0, and all are 0 before the test.
 */
final class DataValidation {
    private static final int VALUES = 255;
    private static final int PER_OFFSET = 31;
    private static final int PER_QUEUE_PAIR = 7;

    private final List<PerfQueuePair> queuePairs;

    DataValidation(List<PerfQueuePair> queuePairs) {
        this.queuePairs = queuePairs;
    }

    private static byte expected(int queuePair, long offset) {
        return (byte) (1 + (offset * PER_OFFSET + (long) queuePair * PER_QUEUE_PAIR) % VALUES);
    }

    /** Fills the source memory. */
    void fill() {
        for (int i = 0; i < queuePairs.size(); i++) {
            MemorySegment source = queuePairs.get(i).source();
            for (long offset = 0; offset < source.byteSize(); offset++) {
                source.set(ValueLayout.JAVA_BYTE, offset, expected(i, offset));
            }
        }
    }

    /**
     * Checks the destination memory.
     *
     * @param messages of each queue pair
     * @return number of compared bytes
     * @throws ToolFailure with the first wrong byte
     */
    long check(int sizeBytes, MessageSlots ring, long messages) throws ToolFailure {
        long compared = 0;
        for (int i = 0; i < queuePairs.size(); i++) {
            for (long message = 0; message < Math.min(messages, ring.places()); message++) {
                check(i, queuePairs.get(i).sink(), ring.offset(message), sizeBytes);
                compared += sizeBytes;
            }
        }
        return compared;
    }

    private static void check(int queuePair, MemorySegment sink, long start, int sizeBytes) throws ToolFailure {
        for (long offset = start; offset < start + sizeBytes; offset++) {
            byte found = sink.get(ValueLayout.JAVA_BYTE, offset);
            byte expected = expected(queuePair, offset);
            if (found != expected) {
                throw new ToolFailure(String.format(
                        Locale.ROOT,
                        "Data validation failed: QP %d, byte %d is 0x%02x and not 0x%02x; do both ends run with"
                                + " --data_validation?",
                        queuePair,
                        offset,
                        found,
                        expected));
            }
        }
    }
}
