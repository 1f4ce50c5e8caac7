// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.micro;

import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.Ring;
import io.rdma4j.verbs.spi.ring.RingCompletionCursor;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The rings between application and device, both ends on one thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RingBenchmark {
    private static final int ENTRIES = 127;

    private final SendQueue queue = new SendQueue(ENTRIES, 1, 0);
    private final SendHeader header = new SendHeader();
    private final RingSendBatch batch =
            new RingSendBatch(queue, new Connected(), QpType.RC, EnumSet.allOf(WrOpcode.class), Set.of(), false);
    private final CompletionRing completions = CompletionRing.silent(ENTRIES);
    private final RingCompletionCursor cursor = new RingCompletionCursor(completions, () -> {});
    private final CompletionEntry entry = new CompletionEntry();

    /** A queue pair in RTS, and a device that polls without doorbells. */
    private static final class Connected implements QueueOwner {
        @Override
        public QpState state() {
            return QpState.RTS;
        }

        @Override
        public void sendDoorbell() {
            // the benchmark reads the ring itself
        }

        @Override
        public void receiveDoorbell() {
            // the benchmark reads the ring itself
        }
    }

    /** The application posts a request; the device reads it and frees the slot. */
    @Benchmark
    public long sendQueue() {
        batch.start().wrId(7).signaled().send().sge(1, 4096, 64).complete();
        Ring ring = queue.ring();
        int at = ring.ownConsumer();
        long wqe = ring.offset(at);
        header.read(queue.memory(), wqe);
        long read = header.wrId() + header.length();
        ring.publishConsumer(ring.next(at));
        return read;
    }

    /** The device posts a completion, the application polls it. */
    @Benchmark
    public long completionQueue() {
        entry.wrId = 7;
        completions.post(entry, false);
        try (CompletionCursor polled = cursor.start()) {
            return polled.next() ? polled.wrId() : 0;
        }
    }
}
