// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.transport.Engine;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkReader;
import io.rdma4j.transport.port.LinkWriter;
import io.rdma4j.transport.port.PacketPort;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.ring.CompletionSource;
import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The link of a queue pair to its peer in another process: one ring in each direction. The posting thread writes
 * messages into the ring, or stores a WRITE into the memory of the peer if no message waits. The thread that polls a
 * completion queue of the queue pair takes the peer's messages, and completes the requests that the peer has executed.
 * The owner of the port loop does the same for queue pairs that no thread polls. Only the owner opens and leaves a
 * ring.
 */
final class RingLink extends QpLink implements CompletionSource {
    /** Time after which a peer that has begun to store counts as stopped, ns. */
    private static final long MAX_STORE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Looks at the word of a peer that stores before the clock is read. */
    private static final int SPINS = 1000;

    private static final System.Logger LOGGER = System.getLogger(RingLink.class.getName());

    private final LocalReceiver receiver;
    private final LocalPeers peers;

    /** The channel of the first ring; a write to any ring wakes the peer through it. */
    private final LocalChannel channel;

    private final QpEngine engine;
    private final QpOps doorbell;
    private final PacketPort port;
    private final IntSupplier headerBytes;
    private final IntSupplier storableDomain;

    /**
     * The channel of the peer's messages; null until it has announced a ring. It may be another one than that of {@link
     * #rings}, because both ends may connect at once. Guarded by the port loop, like {@link #rings}.
     */
    private @Nullable LocalChannel source;

    /** The rings of which {@link #out} is one; null before the first. */
    private @Nullable ChannelRings rings;

    /** The ring of the peer's messages; null if the peer has announced none, or it was closed. */
    private volatile @Nullable LinkReader in;

    /** The peer does not run, so that nothing waits for it. Guarded by the port loop. */
    private boolean isPeerStopped;

    /** The ring of this queue pair's messages; null until the first message, and after it was left. */
    private volatile @Nullable LinkWriter out;

    /**
     * @param receiver tells whether messages are allowed
     * @param channel to the peer; of the first ring
     * @param doorbell of the queue pair
     * @param port of the queue pair
     * @param headerBytes in front of the BTH of the queue pair's packets
     * @param storableDomain number of the protection domain whose memory the peer may store into; 0 for none
     */
    RingLink(
            QpLinks links,
            LocalReceiver receiver,
            LocalPeers peers,
            LocalChannel channel,
            QpEngine engine,
            QpOps doorbell,
            PacketPort port,
            IntSupplier headerBytes,
            IntSupplier storableDomain) {
        super(links);
        this.receiver = receiver;
        this.peers = peers;
        this.channel = channel;
        this.engine = engine;
        this.doorbell = doorbell;
        this.port = port;
        this.headerBytes = headerBytes;
        this.storableDomain = storableDomain;
    }

    // For the owner of the port loop

    /** Returns true if the link uses a channel. */
    @SuppressWarnings("ReferenceEquality") // one object per channel
    boolean uses(LocalChannel other) {
        return channel == other || source == other || rings != null && rings.areOf(other);
    }

    /** Returns true if the peer may announce a ring of a channel. */
    @SuppressWarnings("ReferenceEquality") // one object per channel
    boolean reads(LocalChannel other) {
        return source == null || source == other;
    }

    boolean hasWriter() {
        return out != null;
    }

    /** Returns true if the link may open a ring of a channel. */
    boolean mayWrite(LocalChannel other) {
        return rings == null || rings.areOf(other);
    }

    // For polling threads

    /** Returns true if the peer has sent or executed messages. Any thread; a hint. */
    boolean isPending() {
        LinkReader reader = in;
        LinkWriter writer = out;
        try {
            return reader != null && reader.hasMessage() || writer != null && writer.hasNews();
        } catch (IllegalStateException unmapped) {
            // The channel has ended meanwhile, and the link with it.
            return false;
        }
    }

    @Override
    public boolean poll() {
        if (!isPending() || !tryEnter()) {
            return false;
        }
        if (!takeAndUnlock()) {
            doorbell.ringDoorbell();
        }
        return true;
    }

    // The lock is held

    @Override
    boolean deliver(Engine from, boolean inLoop) {
        return inLoop ? deliverInLoop() : post();
    }

    /** Only writes: a poll takes the messages of the peer. */
    private boolean post() {
        LinkWriter writer = out;
        if (writer == null) {
            return !engine.hasRequests();
        }
        boolean delivered = receiver.isOpen() && engine.deliver(writer, delivery(), /* inLoop= */ false);
        return !isPeerAsleep(writer.hasMessages()) && delivered;
    }

    @Override
    boolean take() {
        boolean open = receiver.isOpen();
        LinkReader reader = in;
        long before = reader == null ? 0 : reader.position();
        boolean taken = reader == null || open && engine.take(reader, delivery(), /* inLoop= */ false);
        boolean moved = reader != null && reader.position() != before;
        LinkWriter writer = out;
        boolean completed = writer == null || !writer.hasNews() || open && complete(writer);
        return !isPeerAsleep(moved || writer != null && writer.hasMessages()) && taken && completed;
    }

    /** Completes executed requests; writes those that the ring had no room for. */
    private boolean complete(LinkWriter writer) {
        boolean completed = engine.complete(writer, delivery());
        boolean delivered = !engine.hasRequests() || engine.deliver(writer, delivery(), /* inLoop= */ false);
        return completed && delivered;
    }

    /**
     * Returns true if the peer has to be woken.
     *
     * @param hasNews whether there is something that the peer has to read
     */
    private boolean isPeerAsleep(boolean hasNews) {
        // The fence orders the messages before the flag. The peer has one between the flag and its last look at them.
        VarHandle.fullFence();
        return hasNews && channel.isPeerAsleep();
    }

    private boolean deliverInLoop() {
        boolean open = receiver.isOpen();
        boolean taken = takeInLoop(open);
        boolean done = writeInLoop(open) && taken;
        engine.watchRing(links().nowNs());
        links().count(this);
        channel.flush();
        return done;
    }

    private boolean takeInLoop(boolean open) {
        LinkReader reader = in;
        if (reader == null) {
            return true;
        }
        if (!reader.hasMessage()) {
            if (!engine.state().servesRequests()) {
                close(reader);
            } else {
                permitStores(reader);
            }
            return true;
        }
        boolean taken = open && engine.take(reader, delivery(), /* inLoop= */ true);
        if (!taken) {
            // The peer sends the message as packets.
            close(reader);
        } else {
            permitStores(reader);
        }
        return taken;
    }

    /** Permits the peer to store, once that is allowed. By the owner of the port loop. */
    private void permitStores(LinkReader reader) {
        int domain = reader.permitsStores() ? 0 : storableDomain.getAsInt();
        if (domain != 0) {
            reader.permitStores(domain, engine.pathMtuBytes());
        }
    }

    /** Ends the reading of a ring: the peer stores no more after this call. By the owner of the port loop. */
    private void close(LinkReader reader) {
        in = null;
        reader.close();
        awaitStores(reader);
        engine.passStores(reader, delivery());
    }

    private boolean awaitStores(LinkReader reader) {
        long sinceNs = 0;
        for (long looks = 0; reader.isStoring() && !isPeerStopped; looks++) {
            if (looks < SPINS) {
                Thread.onSpinWait();
            } else {
                long nowNs = System.nanoTime();
                sinceNs = sinceNs == 0 ? nowNs : sinceNs;
                isPeerStopped = nowNs - sinceNs > MAX_STORE_NS || source != null && source.isPeerGone();
                Thread.yield();
            }
        }
        if (isPeerStopped && sinceNs != 0) {
            LOGGER.log(Level.WARNING, "queue pair {0}: its peer has stopped in a WRITE", engine.qpn());
        }
        return !isPeerStopped;
    }

    @Override
    boolean awaitStores() {
        LinkReader reader = in;
        return reader == null || awaitStores(reader);
    }

    /** Waits for the peer no more, which has ended. For the owner of the port loop. */
    void stopWaiting() {
        isPeerStopped = true;
    }

    @Override
    void passStores() {
        LinkReader reader = in;
        if (reader != null) {
            engine.passStores(reader, delivery());
        }
    }

    private boolean writeInLoop(boolean open) {
        LinkWriter writer = out;
        if (writer == null) {
            return !engine.hasRequests();
        }
        boolean completed = open && engine.complete(writer, delivery());
        boolean delivered = open && engine.deliver(writer, delivery(), /* inLoop= */ true) && completed;
        if (!delivered && (!open || writer.isClosed())) {
            leaveWriter(writer);
        }
        return delivered;
    }

    private void leaveWriter(LinkWriter writer) {
        engine.leaveRing();
        out = null;
        if (rings != null) {
            rings.giveBack(writer);
        }
    }

    @Override
    void leave() {
        LinkReader reader = in;
        if (reader != null) {
            close(reader);
        }
        LinkWriter writer = out;
        if (writer != null) {
            leaveWriter(writer);
        }
        engine.removeSource(this);
    }

    @Override
    void moveCounts(TransportCounters counters) {
        passStores();
        LinkDelivery counts = delivery();
        if (counts.sentMessages() > 0) {
            long packets = counts.sentPackets();
            long bytes = counts.sentBytes() + packets * headerBytes.getAsInt();
            peers.countSent(counts.sentMessages(), counts.stores(), packets, bytes);
        }
        if (counts.receivedMessages() > 0) {
            long packets = counts.receivedPackets();
            long bytes = counts.receivedBytes() + packets * headerBytes.getAsInt();
            peers.countReceived(counts.receivedMessages(), packets, bytes);
        }
        super.moveCounts(counters);
    }

    // For the owner of the port loop

    @Override
    void raiseEvents() {
        engine.raiseEvents();
    }

    /** Makes the owner of the port loop serve the queue pair in its current run. */
    void serve() {
        port.sendable();
    }

    /**
     * Begins to write; the lock is held.
     *
     * @param from the rings of which the writer is one
     */
    void open(LinkWriter writer, ChannelRings from) {
        rings = from;
        out = writer;
    }

    /**
     * Begins to read; the lock is held. A ring that was read before is closed.
     *
     * @param from channel of the ring
     */
    void open(LinkReader reader, LocalChannel from) {
        LinkReader former = in;
        if (former != null) {
            close(former);
        }
        source = from;
        in = reader;
        permitStores(reader);
    }
}
