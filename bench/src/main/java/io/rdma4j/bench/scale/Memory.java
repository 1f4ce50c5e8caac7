// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Memory use of this process in bytes.
 *
 * @param heap live objects
 * @param offHeap resident memory of the process without the committed heap: native allocations, including those of the
 *     JVM
 */
public record Memory(long heap, long offHeap) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int COLLECTIONS = 3;
    private static final long CLEANERS_MS = 200;

    /** Measures after a garbage collection and a pause for the cleaners of native memory. */
    public static Memory now() throws IOException, InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(CLEANERS_MS);
        }
        Runtime runtime = Runtime.getRuntime();
        return new Memory(runtime.totalMemory() - runtime.freeMemory(), nonHeapResident());
    }

    /** Resident memory without the heap. The launcher sets AlwaysPreTouch, so the whole committed heap is resident. */
    private static long nonHeapResident() throws IOException {
        if (!Files.isReadable(STATUS)) {
            return 0;
        }
        long residentKib = Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
        return (residentKib << 10) - Runtime.getRuntime().totalMemory();
    }

    /** {@return the difference} */
    public Memory minus(Memory other) {
        return new Memory(heap - other.heap, offHeap - other.offHeap);
    }
}
