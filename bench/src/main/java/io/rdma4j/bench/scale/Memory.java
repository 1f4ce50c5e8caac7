package io.rdma4j.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Bytes that this process uses now, in two accounts.
 *
 * @param heap objects that are alive
 * @param offHeap resident memory of the process without what the heap has committed: native allocations, the JVM's own included
 */
record Memory(long heap, long offHeap) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int COLLECTIONS = 3;
    private static final long CLEANERS_MS = 200;

    /** Collects garbage first, and gives the cleaners of native memory time. */
    static Memory now() throws IOException, InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(CLEANERS_MS);
        }
        Runtime runtime = Runtime.getRuntime();
        return new Memory(runtime.totalMemory() - runtime.freeMemory(), nonHeapResident());
    }

    /** The launcher has the JVM touch all of the heap that it commits (AlwaysPreTouch), so what is resident beyond it is not heap. */
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

    Memory minus(Memory other) {
        return new Memory(heap - other.heap, offHeap - other.offHeap);
    }
}
