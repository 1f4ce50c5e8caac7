// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs cells side by side, in windows of time no longer than the least latency between two cells (conservative
 * synchronisation with lookahead). No cell affects another one within a window. So each cell runs its whole window in
 * one piece, on any thread, and the number of threads does not change the result.
 */
final class Windows {
    private final VirtualClock clock;
    private final List<Part> parts;
    private final long lookaheadNs;
    private final int threads;

    /** A cell, and the links by which packets arrive from others. */
    record Part(Cell cell, DelayLines delayLines) {}

    /**
     * @param clock advances to the last event when a run ends; all cells then have its time
     * @param parts those with most work first
     */
    Windows(VirtualClock clock, List<Part> parts, long lookaheadNs, int threads) {
        this.clock = clock;
        this.parts = List.copyOf(parts);
        this.lookaheadNs = lookaheadNs;
        this.threads = threads;
    }

    /**
     * Runs until {@code finished} is true, or no event is left before {@code endNs} or at that time.
     *
     * @param finished called after every window
     */
    RunEnd run(BooleanSupplier finished, long endNs) {
        try (ExecutorService helpers = Executors.newFixedThreadPool(Math.max(1, threads - 1))) {
            return run(finished, endNs, helpers);
        } finally {
            long lastNs = clock.nanoTime();
            for (Part part : parts) {
                long ownNs = part.cell().clock().nanoTime();
                lastNs = ownNs - lastNs > 0 ? ownNs : lastNs;
            }
            for (Part part : parts) {
                part.cell().clock().advanceTo(lastNs);
            }
            clock.advanceTo(lastNs);
        }
    }

    private RunEnd run(BooleanSupplier finished, long endNs, ExecutorService helpers) {
        AtomicBoolean endless = new AtomicBoolean();
        // At first everything has a turn now.
        long nextNs = clock.nanoTime();
        while (nextNs - endNs <= 0) {
            long windowNs = Deadline.earlier(nextNs + lookaheadNs, endNs + 1);
            forEach(part -> part.delayLines().collect(windowNs), helpers);
            forEach(
                    part -> {
                        if (part.cell().runWindow(windowNs) == RunEnd.LIVELOCK) {
                            endless.set(true);
                        }
                    },
                    helpers);
            if (endless.get()) {
                return RunEnd.LIVELOCK;
            }
            if (finished.getAsBoolean()) {
                return RunEnd.FINISHED;
            }
            nextNs = nextEventNs();
            if (nextNs == Deadline.NEVER) {
                return RunEnd.IDLE;
            }
        }
        return RunEnd.TIME_LIMIT;
    }

    private long nextEventNs() {
        long nextNs = Deadline.NEVER;
        for (Part part : parts) {
            nextNs = Deadline.earlier(nextNs, part.cell().nextEventNs());
            nextNs = Deadline.earlier(nextNs, part.delayLines().firstSentNs());
        }
        return nextNs;
    }

    /** Calls {@code work} for each part. The calling thread and its helpers take the parts in order. */
    private void forEach(Consumer<Part> work, ExecutorService helpers) {
        AtomicInteger taken = new AtomicInteger();
        Runnable share = () -> {
            for (int i = taken.getAndIncrement(); i < parts.size(); i = taken.getAndIncrement()) {
                work.accept(parts.get(i));
            }
        };
        List<Future<?>> others = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            others.add(helpers.submit(share));
        }
        try {
            share.run();
        } finally {
            others.forEach(Windows::await);
        }
    }

    private static void await(Future<?> share) {
        try {
            share.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
