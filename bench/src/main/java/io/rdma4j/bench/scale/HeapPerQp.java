// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import io.rdma4j.bench.verbs.SelfDevice;
import java.io.IOException;
import java.util.Locale;

/** A program: prints the heap of a queue pair, without its rings, before and after one message in each direction. */
public final class HeapPerQp {
    private static final int QUEUE_PAIRS = 4000;
    private static final int WARM = 16;
    private static final int BYTES = 64;

    private HeapPerQp() {}

    /** No arguments. */
    public static void main(String[] words) throws IOException, InterruptedException {
        try (SelfDevice device = new SelfDevice()) {
            try (ManyQps first = new ManyQps(device, WARM)) {
                first.work(BYTES);
            }
            Memory before = Memory.now();
            try (ManyQps queuePairs = new ManyQps(device, QUEUE_PAIRS)) {
                long idle = Memory.now().minus(before).heap();
                queuePairs.work(BYTES);
                long used = Memory.now().minus(before).heap();
                System.out.printf(
                        Locale.ROOT,
                        "heap queue_pairs=%d idle_bytes=%d used_bytes=%d%n",
                        QUEUE_PAIRS,
                        each(idle),
                        each(used));
            }
        }
    }

    private static long each(long all) {
        return all / QUEUE_PAIRS - ManyQps.ringBytes();
    }
}
