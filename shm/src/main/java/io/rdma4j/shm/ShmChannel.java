// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.base.local.KeyPage;
import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.base.local.PeerMemory;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.shm.RingProducer.Result;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Two rings between this process and a peer, and the connection whose end reports that the peer has ended. For the
 * owner of the loop.
 */
final class ShmChannel implements LocalChannel, PeerMemory {
    /** Discards local messages that were in flight when their receiver was removed. */
    private static final RingConsumer.MessageSink DISCARD = (_, _, _) -> true;

    /**
     * Rounds before the connection request to a peer that does not answer is repeated. The number doubles each time.
     */
    private static final int FIRST_BACKOFF_ROUNDS = 2;

    private static final int MAX_BACKOFF_ROUNDS = 1 << 10;

    /** Maximum time that packets sent before both ends had the rings may remain in the sockets, ns. */
    static final long SETTLED_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ShmPath path;
    private final ShmPath wayBack;
    private final RingFile rings;
    private final RingProducer out;
    private final RingConsumer in;
    private final PeerSegments peerMemory;
    private final ByteBuffer helloMessage = ByteBuffer.allocateDirect(Long.BYTES);
    private final InetSocketAddress listener;
    private final Consumer<ShmChannel> waker;
    private final ShmCounters counters;
    private final boolean permitsStores;
    private int rounds;
    private int backoffRounds = FIRST_BACKOFF_ROUNDS;
    private boolean answered;
    private long answeredNs;
    private boolean isGone;
    private boolean broken;
    private boolean acceptsMessages;

    /** Time since which the ring is full, ns; 0 while there is room. */
    private long fullSinceNs;

    /**
     * Creates a channel over a connection on which the hello message has been sent.
     *
     * @param path of the packets that are sent through it
     * @param peer owner number of the peer
     * @param share limits the packets that wait for the peers of a device
     * @param waker wakes the peer
     */
    ShmChannel(ShmEnd end, ShmPath path, long peer, RingFile rings, ZeroCopyQuota share, Consumer<ShmChannel> waker) {
        this.path = path;
        this.waker = waker;
        this.counters = end.counters();
        this.permitsStores = end.permitsStores();
        this.wayBack = path.back(end.port());
        this.rings = rings;
        this.answered = !rings.isOurs();
        this.answeredNs = System.nanoTime();
        this.listener = WakeupSender.listener(path.destination(), path.port());
        this.peerMemory = new PeerSegments(end.directory(), peer);
        this.out = new RingProducer(rings.ring(true), end.segments(), share);
        this.in = new RingConsumer(rings.ring(false), peerMemory, end.system(), counters);
    }

    /** See {@link PeerSegments#mapAhead}. */
    void mapAhead() {
        peerMemory.mapAhead();
    }

    ShmPath path() {
        return path;
    }

    /** Returns the number of the file with the rings, or {@link RingFile#OF_PEER}. */
    int ring() {
        return rings.number();
    }

    /** Returns the socket address to which wake-up datagrams are sent. */
    InetSocketAddress listener() {
        return listener;
    }

    RingProducer out() {
        return out;
    }

    RingConsumer in() {
        return in;
    }

    @Override
    public Gid source() {
        return path.source();
    }

    @Override
    public Gid destination() {
        return path.destination();
    }

    @Override
    public MemorySegment memory() {
        return out.memory();
    }

    @Override
    public MemorySegment linkRing(boolean out, int number) {
        return rings.linkRing(out, number);
    }

    @Override
    public PeerMemory peerMemory() {
        return this;
    }

    @Override
    public boolean isPeerGone() {
        return isOver();
    }

    @Override
    public @Nullable MemorySegment keys() {
        MemorySegment keys = permitsStores && out.acceptsMessages() ? segment(KeyPage.SEGMENT) : null;
        // The size of the file is that which the peer has given it.
        return keys != null && keys.byteSize() >= KeyPage.BYTES ? keys : null;
    }

    @Override
    public @Nullable MemorySegment segment(int number) {
        return peerMemory.writable().get(number);
    }

    @Override
    public boolean isPeerAsleep() {
        return out.isPeerAsleep();
    }

    @Override
    public long begin(int bytes) {
        return out.beginMessage(bytes);
    }

    @Override
    public void send(int bytes) {
        out.endMessage(bytes);
    }

    @Override
    public void flush() {
        if (out.mustWake()) {
            waker.accept(this);
        }
        out.makeReady();
    }

    /** Sets the receiver of the peer's local messages. They are accepted while it is open; null: they are rejected. */
    void channelTo(@Nullable LocalReceiver receiver) {
        in.channelTo(receiver == null ? DISCARD : (memory, at, bytes) -> receiver.receive(this, memory, at, bytes));
        acceptMessages(receiver);
    }

    /** Publishes to the peer whether it may send local messages. */
    void acceptMessages(@Nullable LocalReceiver receiver) {
        boolean open = receiver != null && receiver.isOpen();
        if (open != acceptsMessages) {
            acceptsMessages = open;
            in.acceptsMessages(open);
        }
    }

    Result send(SkBuff skb) {
        Result result = out.offer(skb);
        if (result != Result.FULL) {
            fullSinceNs = 0;
        }
        return result;
    }

    /** Records that the ring was full at {@code nowNs}; returns for how long it has been full, ns. */
    long fullForNs(long nowNs) {
        if (fullSinceNs == 0) {
            fullSinceNs = nowNs;
        }
        return nowNs - fullSinceNs;
    }

    /**
     * Dequeues the next packet from the peer to this end; null if there is none. A packet with other addresses breaks
     * the channel.
     */
    @Nullable
    SkBuff receive(SkBuffPool pool) {
        SkBuff skb = in.receive(pool);
        if (skb == null) {
            return null;
        }
        if (!wayBack.isOf(skb)) {
            broken = true;
            skb.free();
            return null;
        }
        skb.meta().protocol(wayBack.etherType());
        return skb;
    }

    /** Returns true if the peer has mapped the rings. */
    boolean isAnswered() {
        return answered;
    }

    /**
     * Returns true if the peer sends all packets through the ring. A packet from the socket with the peer's address is
     * then from another process. Packets that the peer sent before it had the ring arrive within {@link #SETTLED_NS}.
     */
    boolean isPrivate() {
        return answered && !in.isSocketUsed() && System.nanoTime() - answeredNs > SETTLED_NS;
    }

    /**
     * Reports to the peer that the rings are mapped here.
     *
     * @throws IOException if the connection is broken
     */
    void answer() throws IOException {
        rings.connection().write(ByteBuffer.allocate(1));
    }

    /** Reads the connection; returns true if the peer has ended or has violated the format. */
    boolean isOver() {
        try {
            int bytes = rings.connection().read(helloMessage.clear());
            if (bytes > 0) {
                answered = true;
                answeredNs = System.nanoTime();
                bytes = rings.connection().read(helloMessage.clear());
            }
            isGone = bytes < 0;
        } catch (IOException e) {
            isGone = true;
        }
        return isGone || isCutOff();
    }

    /** Returns true if the peer has violated the format. */
    boolean isCutOff() {
        return broken || in.isBroken() || out.isBroken();
    }

    /**
     * Returns true if the connection request must be repeated because the peer has not answered. The caller calls this
     * once per round.
     */
    boolean isWakeupDue() {
        if (answered || ++rounds < backoffRounds) {
            return false;
        }
        rounds = 0;
        backoffRounds = Math.min(2 * backoffRounds, MAX_BACKOFF_ROUNDS);
        return true;
    }

    /** Unmaps segments that the peer has freed, if no buffer refers to any. */
    void release() {
        if (in.heldCount() == 0) {
            peerMemory.release();
        }
    }

    int takeBack(Predicate<? super SkBuff> condition) {
        return out.takeBack(condition);
    }

    /** Closes the connection, which the peer detects, and frees the packets that wait for the peer. */
    void close() {
        out.takeBack(_ -> true);
        try {
            rings.connection().close();
        } catch (IOException e) {
            // The connection is no longer used, even if close fails.
        }
    }

    /** Unmaps the memory. Returns false if a buffer still refers to it: the caller tries again later. */
    boolean unmap() {
        if (in.heldCount() > 0) {
            return false;
        }
        peerMemory.close();
        rings.arena().close();
        return true;
    }
}
