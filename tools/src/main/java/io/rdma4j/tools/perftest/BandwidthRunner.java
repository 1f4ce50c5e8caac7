// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.peer.ToolFailure;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures a bandwidth: on each queue pair as many messages are outstanding as its depth permits. Sends, receives, or
 * both. One thread; does not allocate during the measurement.
 */
final class BandwidthRunner {
    /** Maximum completions of one poll. */
    private static final int BATCH = 16;

    private final PerfOptions options;
    private final List<PerfQueuePair> queuePairs;
    private final Completions sendCompletions;
    private final Completions receiveCompletions;
    private final Idle idle;
    private final TestClock clock;
    private final Pacer pacer;
    private final PeakFinder peak;
    private final boolean sends;
    private final boolean receives;
    private final int page;
    private final int line;

    private final long[] sent;
    private final long[] completed;
    private final long[] received;
    private final long[] receivesPosted;
    private final int[] receivesUsed;
    private long totalSent;
    private long totalCompleted;
    private long totalReceived;
    private long measured;
    private boolean begun;

    /**
     * Creates a runner.
     *
     * @param page bytes over which small messages are distributed; both ends have agreed on it
     * @param line alignment of small messages in bytes
     */
    BandwidthRunner(PerfContext context, PerfOptions options, int page, int line, long stallNs) {
        this.options = options;
        this.queuePairs = context.queuePairs();
        String side = options.isClient() ? "client" : "server";
        this.sendCompletions = new Completions(context.sendCq(), side, BATCH);
        this.receiveCompletions = new Completions(context.receiveCq(), side, BATCH);
        this.idle = new Idle(context, stallNs);
        this.clock = new TestClock(options);
        this.sends = options.isSender() || options.load().bidirectional();
        this.receives = options.load().consumesReceives()
                && (!options.isSender() || options.load().bidirectional());
        this.pacer = new Pacer(options.pacing());
        this.peak =
                new PeakFinder(options.noPeak() || !sends ? 0 : options.load().iterations() * queuePairs.size());
        this.page = page;
        this.line = line;
        int count = queuePairs.size();
        this.sent = new long[count];
        this.completed = new long[count];
        this.received = new long[count];
        this.receivesPosted = new long[count];
        this.receivesUsed = new int[count];
    }

    /** Prepares for messages of a size. The peer may send after both ends have done so. */
    void prepare(int size) throws ToolFailure {
        for (long[] counters : new long[][] {sent, completed, received, receivesPosted}) {
            Arrays.fill(counters, 0);
        }
        Arrays.fill(receivesUsed, 0);
        totalSent = 0;
        totalCompleted = 0;
        totalReceived = 0;
        measured = 0;
        begun = false;
        peak.reset();
        MessageSlots ring = MessageSlots.of(size, page, line);
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).use(size, ring);
            if (receives) {
                postReceives(i, receivesPerQueuePair());
            }
        }
    }

    /**
     * Receives per queue pair: a shared queue holds the receives of all; otherwise whole lists, as perftest posts them.
     */
    private int receivesPerQueuePair() {
        int depth = options.load().rxDepth();
        int list = options.load().receivePostList();
        int own = options.load().sharedReceives() ? Math.max(1, depth / queuePairs.size()) : depth;
        return Math.max(list, own / list * list);
    }

    /** Sends some messages without measurement. */
    void warmUp() throws ToolFailure, InterruptedException {
        for (PerfQueuePair queuePair : queuePairs) {
            int count = options.load().txDepth();
            queuePair.post(count, 0, count, count - 1L);
            while (sendCompletions.poll() == 0) {
                giveUpIfIdle();
            }
        }
    }

    /**
     * Measures. A test without end reports a result at each end of its duration, and ends when the thread is
     * interrupted.
     */
    BandwidthResult run(int size, Consumer<BandwidthResult> rows) throws ToolFailure, InterruptedException {
        BandwidthResult result = runOnce(size);
        while (options.infinite()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the test was interrupted");
            }
            rows.accept(result);
            measured = 0;
            result = runOnce(size);
        }
        return result;
    }

    private BandwidthResult runOnce(int size) throws ToolFailure, InterruptedException {
        // An end that only receives waits for the first message: then the sender has posted its receives and runs.
        begun |= options.isSender() || !receives;
        clock.start();
        long start = System.nanoTime();
        pacer.start(size, start);
        boolean waiting = !begun;
        while (!isOver()) {
            boolean moved = begun && sends && postSends();
            moved |= sends && pollSends();
            moved |= receives && pollReceives();
            if (waiting && begun) {
                waiting = false;
                start = System.nanoTime();
                clock.start();
            }
            if (moved) {
                idle.progress();
            } else {
                giveUpIfIdle();
            }
        }
        long elapsedNs = options.isTimed() ? clock.measuredNs() : System.nanoTime() - start;
        long messages = options.isTimed() ? measured : sends ? totalSent : totalReceived;
        return BandwidthResult.of(size, messages, elapsedNs, peak.bestNs(), options.gigabits());
    }

    private boolean isOver() {
        if (options.isTimed()) {
            return clock.phase() == TestClock.Phase.OVER;
        }
        long total = (long) options.load().iterations() * queuePairs.size();
        return (!sends || totalCompleted == total) && (!receives || totalReceived == total);
    }

    /** Posts sends; true if any was posted. */
    private boolean postSends() throws ToolFailure {
        long before = totalSent;
        int list = options.load().postList();
        for (int i = 0; i < sent.length; i++) {
            while ((options.isTimed() || sent[i] < options.load().iterations())
                    && sent[i] - completed[i] + list <= options.load().txDepth()
                    && (!pacer.isActive() || pacer.permits(list, System.nanoTime()))) {
                peak.posted(totalSent, list);
                post(i, list);
                sent[i] += list;
                totalSent += list;
            }
        }
        return totalSent > before;
    }

    private void post(int index, int count) throws ToolFailure {
        try {
            queuePairs
                    .get(index)
                    .post(
                            count,
                            sent[index],
                            options.load().cqModeration(),
                            options.load().iterations() - 1L);
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post send: qp " + index + " scnt=" + sent[index], e);
        }
    }

    private boolean pollSends() throws ToolFailure {
        int count = sendCompletions.poll();
        for (int i = 0; i < count; i++) {
            int index = sendCompletions.queuePair(i);
            // The last completion may count fewer messages.
            long messages = Math.min(options.load().cqModeration(), sent[index] - completed[index]);
            completed[index] += messages;
            totalCompleted += messages;
            peak.completed(totalCompleted);
            measure(messages);
        }
        return count > 0;
    }

    private boolean pollReceives() throws ToolFailure {
        int count = receiveCompletions.poll();
        int first = 0;
        while (first < count) {
            int index = receiveCompletions.queuePair(first);
            int same = first + 1;
            while (same < count && receiveCompletions.queuePair(same) == index) {
                same++;
            }
            received(index, same - first);
            first = same;
        }
        measure(count);
        begun |= count > 0;
        return count > 0;
    }

    /** Counts completed receives of a queue pair and posts new ones. */
    private void received(int index, int count) throws ToolFailure {
        received[index] += count;
        totalReceived += count;
        receivesUsed[index] += count;
        long left = options.isTimed() ? receivesUsed[index] : options.load().iterations() - receivesPosted[index];
        int list = options.load().receivePostList();
        int due = (int) Math.min(left, receivesUsed[index]) / list * list;
        if (due > 0) {
            postReceives(index, due);
            receivesUsed[index] -= due;
        }
    }

    private void measure(long messages) {
        if (options.isTimed() && messages > 0 && clock.phase() == TestClock.Phase.MEASURED) {
            measured += messages;
        }
    }

    private void postReceives(int index, int count) throws ToolFailure {
        try {
            // Unless the user sets a list size, one list holds all receives.
            int list = options.load().receivePostList() > 1 ? options.load().receivePostList() : count;
            for (int posted = 0; posted < count; posted += list) {
                queuePairs.get(index).postReceives(list, receivesPosted[index]);
                receivesPosted[index] += list;
            }
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post recv Qp=" + index + " rcnt=" + received[index], e);
        }
    }

    private void giveUpIfIdle() throws ToolFailure, InterruptedException {
        if (idle.isTooLong() && !isOver()) {
            throw new ToolFailure(String.format(
                    Locale.ROOT,
                    "Did not get a completion for %.0f seconds, exiting: %d sends of %d completed, %d messages"
                            + " received. The peer is gone, messages were lost on an unreliable service, or the ends were"
                            + " given different -n, -s or -q",
                    idle.limitSeconds(),
                    totalCompleted,
                    totalSent,
                    totalReceived));
        }
    }
}
