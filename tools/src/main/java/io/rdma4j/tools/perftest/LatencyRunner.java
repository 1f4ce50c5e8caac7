// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.peer.ToolFailure;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Measures a latency on the first queue pair: one message is outstanding at a time.
 *
 * <p>The client alone measures READs and atomics. With SENDs and WRITEs the two ends take turns. The target of a WRITE
 * polls the last byte of the message, which counts the messages. A time is measured from one post to the next, as in
 * perftest. One thread; does not allocate during the measurement.
 */
final class LatencyRunner {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final MessageSlots ONE_PLACE = new MessageSlots(0, 1);
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 4;

    /** Empty polls between two readings of the clock; a power of two. */
    private static final int POLLS_PER_LOOK = 256;

    private final PerfTest test;
    private final PerfOptions options;
    private final PerfQueuePair queuePair;
    private final Completions sends;
    private final Completions receives;
    private final Idle idle;
    private final TestClock clock;

    /** One of so many sends is signalled, and the program waits for it. */
    private final int moderation;

    private final TimeSeries series;
    private final Histogram times = new Histogram(LONGEST_NS, DIGITS);
    private long sent;
    private long received;
    private long receivesPosted;
    private long measured;
    private int pollsInVain;

    LatencyRunner(PerfContext context, PerfTest test, PerfOptions options, long stallNs) {
        this.test = test;
        this.options = options;
        this.queuePair = context.queuePairs().getFirst();
        String side = options.isClient() ? "client" : "server";
        this.sends = new Completions(context.sendCq(), side, 1);
        this.receives = new Completions(context.receiveCq(), side, 1);
        this.idle = new Idle(context, stallNs);
        this.clock = new TestClock(options);
        boolean keeps = options.reporting().histogram() || options.reporting().unsorted();
        this.series = new TimeSeries(keeps ? options.load().iterations() : 0);
        this.moderation = test.moderatesCompletions() ? options.load().cqModeration() : 1;
    }

    /** Prepares for messages of a size. The peer may send after both ends have done so. */
    void prepare(int size) throws ToolFailure {
        sent = 0;
        received = 0;
        measured = 0;
        receivesPosted = 0;
        times.reset();
        series.reset();
        queuePair.use(size, ONE_PLACE);
        if (options.load().consumesReceives()) {
            postReceives(options.load().rxDepth());
        }
    }

    private void postReceives(int count) throws ToolFailure {
        try {
            queuePair.postReceives(count, receivesPosted);
            receivesPosted += count;
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post recv: rcnt=" + received, e);
        }
    }

    /** Measures. */
    LatencyResult run(int size) throws ToolFailure, InterruptedException {
        MemorySegment message = queuePair.message();
        MemorySegment incoming = queuePair.incoming();
        int lastByte = size - 1;
        boolean first = test.sendsFirst(options.isClient());
        clock.start();
        long start = System.nanoTime();
        long previous = start;
        TestClock.Phase phase = TestClock.Phase.BEFORE;
        while (goesOn(phase)) {
            boolean awaits = test.isPingPong() && (sent > 0 || !first);
            if (awaits && !awaitMessage(incoming, lastByte)) {
                break;
            }
            if (!options.isTimed() && sent == options.load().iterations()) {
                continue;
            }
            awaitGap();
            long now = System.nanoTime();
            TestClock.Phase before = phase;
            phase = clock.phase(now);
            if (sent > 0 && before == TestClock.Phase.MEASURED && phase == TestClock.Phase.MEASURED) {
                times.recordValue(Math.min(now - previous, LONGEST_NS));
                series.add(now - previous);
            }
            measured += phase == TestClock.Phase.MEASURED ? 1 : 0;
            previous = now;
            if (phase == TestClock.Phase.OVER || !send(message, lastByte)) {
                break;
            }
        }
        long elapsedNs = options.isTimed() ? clock.measuredNs() : System.nanoTime() - start;
        return new LatencyResult(size, measured, elapsedNs, times.copy(), series.copy(), test.isPingPong() ? 2 : 1);
    }

    /** Waits for the configured gap; the wait before a message counts as part of its time, as in perftest. */
    private void awaitGap() {
        if (options.latencyGapNs() > 0) {
            long start = System.nanoTime();
            while (System.nanoTime() - start < options.latencyGapNs()) {
                Thread.onSpinWait();
            }
        }
    }

    private boolean goesOn(TestClock.Phase phase) {
        if (options.isTimed()) {
            return phase != TestClock.Phase.OVER;
        }
        return sent < options.load().iterations()
                || test.isPingPong() && received < options.load().iterations();
    }

    /** Waits for the peer's next message; false if the test is over. */
    private boolean awaitMessage(MemorySegment incoming, int lastByte) throws ToolFailure, InterruptedException {
        if (!options.load().consumesReceives()) {
            byte awaited = (byte) (received + 1);
            while ((byte) BYTE.getVolatile(incoming, (long) lastByte) != awaited) {
                // No completion is expected; the poll drives the device, which writes the peer's message.
                sends.poll();
                if (isOver()) {
                    return false;
                }
            }
            idle.progress();
        } else if (!awaitCompletion(receives)) {
            return false;
        } else if (options.isTimed() || receivesPosted < options.load().iterations()) {
            postReceives(1);
        }
        if (received++ == 0 && sent == 0) {
            clock.start();
        }
        return true;
    }

    private boolean send(MemorySegment message, int lastByte) throws ToolFailure, InterruptedException {
        if (test.verb() == Verb.WRITE) {
            BYTE.setVolatile(message, (long) lastByte, (byte) (sent + 1));
        }
        try {
            queuePair.post(1, sent, moderation, options.load().iterations() - 1L);
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post send: scnt=" + sent, e);
        }
        sent++;
        boolean completes = sent % moderation == 0 || sent == options.load().iterations();
        return !completes || awaitCompletion(sends);
    }

    /** Waits for a completion; false if the test is over. */
    private boolean awaitCompletion(Completions completions) throws ToolFailure, InterruptedException {
        while (completions.poll() == 0) {
            if (isOver()) {
                return false;
            }
        }
        idle.progress();
        return true;
    }

    private boolean isOver() throws ToolFailure, InterruptedException {
        if (idle.isTooLong()) {
            throw new ToolFailure(String.format(
                    Locale.ROOT,
                    "Nothing has come for %.0f seconds: the peer is gone, a message was lost on an unreliable service,"
                            + " or the ends were given different -n or -s",
                    idle.limitSeconds()));
        }
        // Reading the clock takes as long as half a poll.
        boolean looks = idle.sleeps() || (++pollsInVain & POLLS_PER_LOOK - 1) == 0;
        return looks && options.isTimed() && clock.phase() == TestClock.Phase.OVER;
    }
}
