// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import io.rdma4j.bench.verbs.SelfPingPong;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingMemory;
import java.util.Arrays;
import java.util.Locale;

/**
 * A program: round trips on one thread of one JVM, through two rings or through a device connected to itself. Prints
 * the median over batches of round trips, since one round trip takes about as long as reading the clock.
 */
final class InProcess {
    private static final int BATCH = 200;
    private static final int RING_ENTRIES = 63;

    private InProcess() {}

    /** {@code rings|device BYTES COUNT}. */
    public static void main(String[] words) {
        int bytes = Integer.parseInt(words[1]);
        int batches = Integer.parseInt(words[2]) / BATCH;
        if (words[0].equals("rings")) {
            print(words[0], bytes, measure(batches, rings(bytes)));
        } else {
            try (SelfPingPong pingPong = new SelfPingPong(bytes)) {
                print(words[0], bytes, measure(batches, pingPong::roundTrip));
            }
        }
    }

    private static Runnable rings(int bytes) {
        Ring there = new Ring(RING_ENTRIES, bytes);
        Ring back = new Ring(RING_ENTRIES, bytes);
        RingMemory memory = RingMemory.allocate(bytes);
        return () -> {
            pass(there, memory, bytes);
            pass(back, memory, bytes);
        };
    }

    /** Writes a message at the producer end of a ring and reads it at the consumer end. */
    private static void pass(Ring ring, RingMemory memory, int bytes) {
        int in = ring.ownProducer();
        memory.copyTo(0, ring.memory(), ring.offset(in), bytes);
        ring.publishProducer(ring.next(in));
        int out = ring.ownConsumer();
        if (ring.acquireProducer() != out) {
            ring.memory().copyTo(ring.offset(out), memory, 0, bytes);
            ring.publishConsumer(ring.next(out));
        }
    }

    /** Returns the nanoseconds of each batch; the first fifth is warm-up. */
    private static long[] measure(int batches, Runnable round) {
        long[] times = new long[batches];
        for (int batch = -batches / 5; batch < batches; batch++) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                round.run();
            }
            if (batch >= 0) {
                times[batch] = System.nanoTime() - start;
            }
        }
        Arrays.sort(times);
        return times;
    }

    private static void print(String name, int bytes, long[] times) {
        System.out.printf(Locale.ROOT, "%s bytes=%d p50_us=%.4f%n", name, bytes, times[times.length / 2] / 1e3 / BATCH);
    }
}
