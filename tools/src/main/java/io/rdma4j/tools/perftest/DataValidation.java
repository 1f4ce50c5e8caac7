package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;

/**
 * Compares the bytes that a bandwidth test has moved with those that it should have moved. Each byte of a queue pair's place depends
 * on its offset and on the queue pair; none is 0, as all are before the test.
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

    /** Fills the memory from which the bytes come. */
    void fill() {
        for (int i = 0; i < queuePairs.size(); i++) {
            MemorySegment source = queuePairs.get(i).source();
            for (long offset = 0; offset < source.byteSize(); offset++) {
                source.set(ValueLayout.JAVA_BYTE, offset, expected(i, offset));
            }
        }
    }

    /**
     * Looks at the memory where they arrived.
     *
     * @param messages of each queue pair
     * @return bytes that were compared
     * @throws ToolFailure with the first byte that is wrong
     */
    long check(int sizeBytes, Ring ring, long messages) throws ToolFailure {
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
