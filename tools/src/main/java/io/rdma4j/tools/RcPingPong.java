package io.rdma4j.tools;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.Sge;
import io.rdma4j.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The ping-pong itself: each message is answered by one, until each side has sent and received as many as agreed.
 *
 * <p>The next message goes out when the last one has been acknowledged and the peer's has arrived. Belongs to one thread.
 * Once it runs, polling for completions allocates nothing.
 */
final class RcPingPong {
    /** Work request numbers of the original; they are the bits of {@link #pending} as well. */
    private static final int RECV_WRID = 1;

    private static final int SEND_WRID = 2;

    private static final double NS_PER_SECOND = 1e9;

    /** Completions taken at a time. */
    private static final int BATCH = 2;

    /** When fewer receives are posted the queue is filled up again. */
    private static final int FEW_RECEIVES = 1;

    private final PingPongOptions options;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final @Nullable CompletionChannel channel;
    private final PingPongBuffer buffer;
    private final int lkey;
    private final boolean inline;
    private final List<SendRequest> request;
    private final @Nullable ReceiveTimes times;
    private final StallWatch watch;

    private final long[] wrIds = new long[BATCH];
    private final WcStatus[] statuses = new WcStatus[BATCH];
    private final long[] timestampsNs = new long[BATCH];

    private int sends;
    private int receives;
    private int receivesPosted;
    private int pending = RECV_WRID;
    private int channelEvents;
    private boolean probing;

    /** @param stallNs without a completion for so long the peer is asked for a sign of life */
    RcPingPong(PingPongContext context, PingPongOptions options, long stallNs) {
        this.options = options;
        this.cq = context.cq();
        this.qp = context.qp();
        this.channel = context.channel();
        this.buffer = context.buffer();
        this.lkey = context.lkey();
        this.inline = qp.initAttributes().capabilities().maxInlineData() >= options.sizeBytes();
        this.request = List.of(request());
        this.times = options.timestamps() ? new ReceiveTimes() : null;
        this.watch = new StallWatch(stallNs);
    }

    private SendRequest request() {
        SendRequest.Builder builder = SendRequest.send().wrId(SEND_WRID).signaled();
        MemorySegment message = buffer.outgoing();
        return inline
                ? builder.inlineData(message).build()
                : builder.sge(new Sge(message.address(), options.sizeBytes(), lkey))
                        .build();
    }

    /** To be called before the peer is told the address: it may send at once. */
    void prepare() throws PingPongFailure {
        fillReceiveQueue();
        if (channel != null) {
            requestNotification();
        }
    }

    /**
     * Plays until the end.
     *
     * @param first whether this side sends the first message
     */
    PingPongResult run(boolean first) throws PingPongFailure, InterruptedException {
        try {
            if (first) {
                postSend();
            }
            long start = System.nanoTime();
            while (receives < options.iterations() || sends < options.iterations()) {
                exchange();
            }
            long elapsedNs = System.nanoTime() - start;
            return new PingPongResult(
                    options.sizeBytes(), options.iterations(), elapsedNs, times, buffer.invalidPages());
        } finally {
            cq.acknowledgeEvents(channelEvents);
        }
    }

    private void exchange() throws PingPongFailure, InterruptedException {
        boolean slept = channel != null;
        if (slept && !awaitEvent()) {
            probe();
            return;
        }
        int count = poll();
        for (int i = 0; i < count; i++) {
            completed(i, count);
        }
        if (count > 0) {
            watch.progress();
        } else if (!slept && watch.stalled()) {
            probe();
        }
    }

    /** Sleeps; false if it was too long. */
    private boolean awaitEvent() throws PingPongFailure, InterruptedException {
        CompletionQueue queue = channel == null ? null : channel.getEvent(Duration.ofNanos(watch.limitNs()));
        if (queue == null) {
            return false;
        }
        channelEvents++;
        // Before the poll: what completes after it gives the next event, what completed before it is found.
        requestNotification();
        return true;
    }

    private void requestNotification() throws PingPongFailure {
        try {
            cq.requestNotification(false);
        } catch (RdmaException e) {
            throw new PingPongFailure("Couldn't request CQ notification", e);
        }
    }

    private int poll() {
        int count = 0;
        try (CompletionCursor completion = cq.startPoll()) {
            while (count < BATCH && completion.next()) {
                wrIds[count] = completion.wrId();
                statuses[count] = completion.status();
                timestampsNs[count] = completion.timestampNs();
                count++;
            }
        }
        return count;
    }

    /** Answers to {@code parse_single_wc}. */
    private void completed(int index, int count) throws PingPongFailure {
        int wrId = (int) wrIds[index];
        WcStatus status = statuses[index];
        if (status != WcStatus.SUCCESS) {
            throw failed(
                    String.format(
                            Locale.ROOT, "Failed status %s (%d) for wr_id %d", status.text(), status.code(), wrId),
                    count);
        }
        if (probing) {
            throw new PingPongFailure(String.format(
                    Locale.ROOT,
                    "The peer is there but has not answered for %.1f seconds",
                    watch.limitNs() / NS_PER_SECOND));
        }
        switch (wrId) {
            case SEND_WRID -> sends++;
            case RECV_WRID -> received(timestampsNs[index]);
            default -> throw failed("Completion for unknown wr_id " + wrId, count);
        }
        pending &= ~wrId;
        if (sends < options.iterations() && pending == 0) {
            postSend();
            pending |= RECV_WRID;
        }
    }

    /** The original adds a line, but not when it polls for timestamps. */
    private PingPongFailure failed(String text, int count) {
        return new PingPongFailure(options.timestamps() ? text : text + "\nparse WC failed " + count);
    }

    private void received(long timestampNs) throws PingPongFailure {
        if (options.check()) {
            buffer.checkReceived();
        }
        if (times != null) {
            times.add(timestampNs);
        }
        receives++;
        if (--receivesPosted <= FEW_RECEIVES) {
            fillReceiveQueue();
        }
    }

    private void fillReceiveQueue() throws PingPongFailure {
        try {
            ReceiveBatch batch = qp.startReceive();
            for (int i = receivesPosted; i < options.rxDepth(); i++) {
                batch.receive(RECV_WRID).sge(lkey, buffer.incoming().address(), options.sizeBytes());
            }
            batch.complete();
            receivesPosted = options.rxDepth();
        } catch (RdmaException e) {
            throw new PingPongFailure("Couldn't post receive (" + receivesPosted + ")", e);
        }
    }

    private void postSend() throws PingPongFailure {
        try {
            if (options.newSend()) {
                postThroughBatch();
            } else {
                qp.postSend(request);
            }
        } catch (RdmaException e) {
            throw new PingPongFailure("Couldn't post send", e);
        }
        pending |= SEND_WRID;
    }

    private void postThroughBatch() {
        SendBatch batch = qp.startSend().wrId(SEND_WRID).signaled().send();
        if (inline) {
            batch.inline(buffer.outgoing());
        } else {
            batch.sge(lkey, buffer.outgoing().address(), options.sizeBytes());
        }
        batch.complete();
    }

    /**
     * Nothing has happened for a long time. If a message of ours is on its way, the transport's own retries end the matter.
     * If we wait for the peer's, nobody would ever tell us that it has died, as no packet is due: the original waits for
     * ever then. We send one more message; if the peer is dead it fails as any other would have.
     */
    private void probe() throws PingPongFailure {
        if ((pending & SEND_WRID) == 0 && !probing) {
            probing = true;
            postSend();
        }
    }
}
