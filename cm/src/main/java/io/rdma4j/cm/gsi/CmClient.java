// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmIdRange;
import io.rdma4j.mad.gsi.TimedWork;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One manager of a device of this process. It is in this process, or in another one that {@code uverbs} serves. Any
 * thread; what belongs to the router is guarded by it.
 */
public final class CmClient implements CmChannel {
    /** Received messages that wait; further ones are dropped, and peers repeat them after seconds. */
    private static final int MAX_WAITING = 4096;

    private final CmRouter router;
    private final CmIdRange ids;
    private final Queue<CmDatagram> waiting = new ArrayDeque<>();
    private final AtomicLong unsent = new AtomicLong();
    private volatile Runnable readable = () -> {};
    private volatile @Nullable TimedWork manager;

    // Guarded by the router.
    final OpenConnections open;
    boolean isClosed;

    CmClient(CmRouter router, CmIdRange ids, OpenConnections.Index index, CmRouter.Limits limits) {
        this.router = router;
        this.ids = ids;
        open = new OpenConnections(this, index, router.guid(), limits.requests(), limits.connections());
    }

    /**
     * Sets what is called when a message has arrived.
     *
     * @param action must not block
     */
    public void onReadable(Runnable action) {
        readable = action;
    }

    @Override
    public CmIdRange ids() {
        return ids;
    }

    @Override
    public int agent() {
        return router.agent();
    }

    @Override
    public void listen(long serviceId, long mask) {
        router.claim(this, claims -> claims.listen(this, serviceId, mask));
    }

    @Override
    public void endListen(long serviceId, long mask) {
        router.claim(this, claims -> claims.endListen(this, serviceId, mask));
    }

    @Override
    public void bindPort(long serviceId, Gid address, boolean reuse) {
        router.claim(this, claims -> claims.bind(this, serviceId, address, reuse));
    }

    @Override
    public void releasePort(long serviceId, Gid address) {
        router.claim(this, claims -> claims.release(this, serviceId, address));
    }

    @Override
    public void send(MemorySegment datagram, CmAddress destination) {
        send(datagram, destination, () -> {});
    }

    /**
     * As {@link #send(MemorySegment, CmAddress)}.
     *
     * @param datagram any bytes
     * @param destination port, path and P_Key; not checked
     * @param atEnd called once, when the message is sent or dropped; must not block
     */
    public void send(MemorySegment datagram, CmAddress destination, Runnable atEnd) {
        if (!router.send(this, datagram, destination, atEnd)) {
            unsent.incrementAndGet();
            atEnd.run();
        }
    }

    @Override
    public long unsent() {
        return unsent.get();
    }

    /** Adds a received message; false if too many wait. */
    boolean offer(CmDatagram datagram) {
        synchronized (waiting) {
            return waiting.size() < MAX_WAITING && waiting.add(datagram);
        }
    }

    void tellReadable() {
        readable.run();
    }

    @Override
    public @Nullable CmDatagram receive() {
        synchronized (waiting) {
            return waiting.poll();
        }
    }

    @Override
    public void start(TimedWork work) {
        manager = work;
        readable = this::wakeup;
        router.port(1).add(work);
    }

    @Override
    public void wakeup() {
        router.port(1).wakeup();
    }

    @Override
    public long progress(long nowNs) {
        return router.progress(nowNs);
    }

    @Override
    public void close() {
        TimedWork work = manager;
        if (work != null) {
            router.port(1).remove(work);
        }
        router.detach(this);
    }
}
