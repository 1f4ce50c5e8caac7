// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.RdmaException;
import io.rdma4j.tools.peer.StallWatch;
import io.rdma4j.tools.peer.ToolFailure;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Runs the ping-pong: each message is answered by one, until each side has sent and received the agreed number.
 *
 * <p>A queue pair sends its next message when its last one has completed and the peer's has arrived. One thread.
 * Polling for completions does not allocate.
 */
final class PingPongLoop {
    /** {@code wr_id}s of the original; they are also the bits of {@link #pending}. */
    private static final int RECV_WRID = 1;

    private static final int SEND_WRID = PingPongEnd.SEND_WRID;

    /** The bits above the original's {@code wr_id} contain the slot of a receive. */
    private static final int WRID_BITS = 2;

    private static final int WRID_MASK = (1 << WRID_BITS) - 1;

    private static final double NS_PER_SECOND = 1e9;

    /**
     * Polls of one {@link #play} call: few, so that the loop around the calls need not be compiled during the
     * measurement.
     */
    private static final int LOOKS = 64;

    /** Completions per poll for each queue pair. */
    private static final int BATCH = 2;

    private final PingPongContext context;
    private final PingPongOptions options;
    private final List<PingPongEnd> ends;
    private final CompletionQueue cq;
    private final @Nullable CompletionChannel channel;
    private final PingPongBuffer buffer;
    private final @Nullable ReceiveTimes times;
    private final @Nullable Intervals intervals;
    private final StallWatch watch;
    private final boolean reliable;

    private final long[] wrIds;
    private final WcStatus[] statuses;
    private final long[] timestampsNs;
    private final int[] queuePairs;

    /** Slots of the buffer without a posted receive; the first {@link #freeSlots} are valid. */
    private final int[] free;

    private int freeSlots;

    /** Completions that each queue pair awaits before its next message: bits of the {@code wr_id}s. */
    private final int[] pending;

    private int sends;
    private int receives;
    private int receivesPosted;
    private int channelEvents;
    private boolean probing;

    /** @param stallNs time without a completion after which a message probes the peer */
    PingPongLoop(PingPongContext context, PingPongProgram program, PingPongOptions options, long stallNs) {
        this.context = context;
        this.options = options;
        this.ends = context.ends();
        this.cq = context.cq();
        this.channel = context.channel();
        this.buffer = context.buffer();
        this.times = options.timestamps() ? new ReceiveTimes() : null;
        this.intervals = options.report() == null ? null : new Intervals();
        this.watch = new StallWatch(stallNs);
        this.reliable = program.type() == QpType.RC;
        int batch = BATCH * ends.size();
        this.wrIds = new long[batch];
        this.statuses = new WcStatus[batch];
        this.timestampsNs = new long[batch];
        this.queuePairs = new int[batch];
        this.pending = new int[ends.size()];
        this.free = new int[buffer.slots()];
        for (int slot = 0; slot < free.length; slot++) {
            free[freeSlots++] = slot;
        }
    }

    /** Must be called before the addresses are sent: the peer may send messages immediately after that. */
    void prepare() throws ToolFailure {
        fillReceiveQueue();
        if (channel != null) {
            requestNotification();
        }
    }

    /**
     * Runs until the end.
     *
     * @param first whether this side sends the first message
     */
    PingPongResult run(boolean first) throws ToolFailure, InterruptedException {
        try {
            begin(first);
            long start = System.nanoTime();
            while (!isOver()) {
                play(LOOKS);
            }
            long elapsedNs = System.nanoTime() - start;
            return new PingPongResult(
                    options.sizeBytes(), options.iterations(), elapsedNs, times, buffer.invalidPages());
        } finally {
            cq.acknowledgeEvents(channelEvents);
        }
    }

    /** {@return the times between messages; null if no report was requested} */
    @Nullable
    Intervals intervals() {
        return intervals;
    }

    /** Sends the first message, or waits for it. */
    void begin(boolean first) throws ToolFailure {
        for (int end = 0; end < pending.length; end++) {
            pending[end] = RECV_WRID;
            if (first) {
                postSend(end);
            }
        }
    }

    /** True when all messages have been sent and received. */
    boolean isOver() {
        return receives >= options.iterations() && sends >= options.iterations();
    }

    /**
     * Continues for a number of polls at most. It is a separate method, so that the JVM compiles it during the warm-up.
     */
    void play(int looks) throws ToolFailure, InterruptedException {
        for (int i = 0; i < looks && !isOver(); i++) {
            exchange();
        }
    }

    /** Polls for completions once, or sleeps until there are some, and sends the next messages. */
    void exchange() throws ToolFailure, InterruptedException {
        boolean slept = channel != null;
        if (slept && !awaitEvent()) {
            probe();
            return;
        }
        int count;
        boolean idle = true;
        do {
            count = poll();
            for (int i = 0; i < count; i++) {
                completed(i, count);
            }
            idle &= count == 0;
            // One event covers all completions since the last event.
        } while (count == wrIds.length);
        if (!idle) {
            watch.progress();
        } else if (!slept && watch.stalled()) {
            probe();
        }
    }

    /** Waits for an event; false if the stall limit is reached. */
    private boolean awaitEvent() throws ToolFailure, InterruptedException {
        CompletionQueue queue = channel == null ? null : channel.getEvent(Duration.ofNanos(watch.limitNs()));
        if (queue == null) {
            return false;
        }
        channelEvents++;
        // The request precedes the poll: later completions raise an event, earlier ones are polled.
        requestNotification();
        return true;
    }

    private void requestNotification() throws ToolFailure {
        try {
            cq.requestNotification(false);
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't request CQ notification", e);
        }
    }

    /** Polls completions, at most {@link #BATCH} for each queue pair. */
    int poll() {
        int count = 0;
        try (CompletionCursor completion = cq.startPoll()) {
            while (count < wrIds.length && completion.next()) {
                wrIds[count] = completion.wrId();
                statuses[count] = completion.status();
                timestampsNs[count] = completion.timestampNs();
                queuePairs[count] = completion.qpNumber();
                count++;
            }
        }
        return count;
    }

    /** Corresponds to {@code parse_single_wc}. */
    private void completed(int index, int count) throws ToolFailure {
        int wrId = (int) wrIds[index] & WRID_MASK;
        WcStatus status = statuses[index];
        if (status != WcStatus.SUCCESS) {
            throw failed(
                    String.format(
                            Locale.ROOT, "Failed status %s (%d) for wr_id %d", status.text(), status.code(), wrId),
                    count);
        }
        if (probing) {
            throw silent();
        }
        switch (wrId) {
            case SEND_WRID -> sends++;
            case RECV_WRID -> received((int) wrIds[index] >>> WRID_BITS, timestampsNs[index]);
            default -> throw failed("Completion for unknown wr_id " + wrId, count);
        }
        int end = find(queuePairs[index]);
        pending[end] &= ~wrId;
        if (sends < options.iterations() && pending[end] == 0) {
            postSend(end);
            pending[end] |= RECV_WRID;
        }
    }

    /** Corresponds to {@code find_qp}. */
    private int find(int qpn) throws ToolFailure {
        for (int end = 0; end < pending.length; end++) {
            if (ends.get(end).qp().qpn() == qpn) {
                return end;
            }
        }
        throw new ToolFailure(String.format(Locale.ROOT, "Couldn't find QPN %06x", qpn));
    }

    /** Creates a failure. The original adds a line, except when it polls for timestamps. */
    private ToolFailure failed(String text, int count) {
        return new ToolFailure(options.timestamps() ? text : text + "\nparse WC failed " + count);
    }

    private ToolFailure silent() {
        double seconds = watch.limitNs() / NS_PER_SECOND;
        return new ToolFailure(String.format(
                Locale.ROOT,
                reliable
                        ? "The peer is there but has not answered for %.1f seconds"
                        : "The peer has not answered for %.1f seconds: it is gone, or a message was lost, which an"
                                + " unreliable service does not retransmit",
                seconds));
    }

    private void received(int slot, long timestampNs) throws ToolFailure {
        if (options.check()) {
            buffer.checkReceived(slot);
        }
        if (free.length > 1) {
            free[freeSlots++] = slot;
        }
        if (times != null) {
            times.add(timestampNs);
        }
        if (intervals != null) {
            intervals.add(System.nanoTime());
        }
        receives++;
        if (--receivesPosted <= ends.size()) {
            fillReceiveQueue();
        }
    }

    private void fillReceiveQueue() throws ToolFailure {
        try {
            ReceiveBatch batch = context.startReceive();
            for (int i = receivesPosted; i < options.rxDepth(); i++) {
                // One slot suffices if only one message is outstanding, or if messages are not checked.
                int slot = free.length > 1 ? free[--freeSlots] : 0;
                MemorySegment place = buffer.incoming(slot);
                batch.receive(RECV_WRID | (long) slot << WRID_BITS)
                        .sge(context.region().lkey(), context.address(place), (int) place.byteSize());
            }
            batch.complete();
            receivesPosted = options.rxDepth();
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post receive (" + receivesPosted + ")", e);
        }
    }

    private void postSend(int end) throws ToolFailure {
        try {
            if (options.newSend()) {
                ends.get(end).sendThroughBatch();
            } else {
                ends.get(end).send();
            }
        } catch (RdmaException e) {
            throw new ToolFailure("Couldn't post send", e);
        }
        pending[end] |= SEND_WRID;
    }

    /**
     * Handles a stall. If a local message is outstanding, the transport's retries detect a dead peer. If this side
     * waits for the peer's message, no packet is due and a dead peer is not detected: the original waits without end.
     * Here an additional message is sent, which fails if the peer is dead. Over unreliable services the stall is a
     * failure.
     */
    private void probe() throws ToolFailure {
        if (!reliable) {
            throw silent();
        }
        if (!probing && (pending[0] & SEND_WRID) == 0) {
            probing = true;
            postSend(0);
        }
    }
}
