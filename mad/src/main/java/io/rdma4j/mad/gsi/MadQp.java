// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.mad.DatagramOutput;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.MadPort;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WorkCompletion;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair that carries datagrams of a {@link MadPort}: its buffers, the sends that wait for room, the restart
 * after an error. Any thread; completions are processed by one thread at a time.
 */
final class MadQp implements DatagramOutput, AutoCloseable {
    private static final int ROUTE_BYTES = 40;
    private static final int RECEIVE_BYTES = ROUTE_BYTES + Mad.BYTES;
    private static final long IS_RECEIVE = 1L << Integer.SIZE;

    /** A datagram that is posted or waits. */
    private record Outgoing(long handle, MadAddress to, MemorySegment datagram) {}

    private final Context context;
    private final int port;
    private final QueuePair qp;
    private final Runnable wakeup;
    private final int qkey;
    private final MadPort mad;
    private final int receives;
    private final MemoryRegion mr;
    private final AddressHandles handles;

    // Guarded by this.
    private final @Nullable Outgoing[] posted;
    private final AddressHandles.@Nullable Entry[] paths;
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    /** Datagrams that were flushed; they go before those that wait. */
    private final Deque<Outgoing> again = new ArrayDeque<>();

    private final Deque<Outgoing> waiting = new ArrayDeque<>();
    private final List<Outgoing> failed = new ArrayList<>();
    /** After an error: requests that were posted before and are not completed. */
    private int draining;

    private boolean dead;

    /**
     * Takes over the queue pair's sends and receives.
     *
     * @param qp of type SMI, GSI or UD, not in RESET
     * @param wakeup wakes the thread that drives the port
     * @param seed of the transaction IDs
     */
    MadQp(Context context, int port, QueuePair qp, Runnable wakeup, long seed) {
        this.context = context;
        this.port = port;
        this.qp = qp;
        this.wakeup = wakeup;
        boolean isManagement = qp.initAttributes().type() == QpType.SMI;
        this.qkey = isManagement ? 0 : MadAddress.GSI_QKEY;
        this.mad = new MadPort(this, isManagement ? QpType.SMI : QpType.GSI, seed);
        int sends = Math.min(GsiPort.SENDS, qp.initAttributes().capabilities().maxSendWr());
        this.receives =
                Math.min(GsiPort.RECEIVES, qp.initAttributes().capabilities().maxReceiveWr());
        this.posted = new Outgoing[sends];
        this.paths = new AddressHandles.Entry[sends];
        this.handles = new AddressHandles(qp.protectionDomain());
        this.mr = qp.protectionDomain()
                .allocateMemory(
                        (long) sends * Mad.BYTES + (long) receives * RECEIVE_BYTES, Set.of(AccessFlag.LOCAL_WRITE));
        for (int slot = 0; slot < sends; slot++) {
            freeSlots.add(slot);
        }
        for (int buffer = 0; buffer < receives; buffer++) {
            postReceive(buffer);
        }
    }

    MadPort mad() {
        return mad;
    }

    // Sending

    @Override
    public synchronized void post(long handle, MadAddress to, MemorySegment datagram) {
        waiting.add(new Outgoing(handle, to, datagram));
        fill();
    }

    @Override
    public void wakeup() {
        wakeup.run();
    }

    @Override
    public int pkeyIndex(int pkey) {
        try {
            return context.pkeyIndex(port, pkey);
        } catch (RdmaException e) {
            return -1;
        }
    }

    /** Posts what waits, as long as there is room. */
    private void fill() {
        while (draining == 0 && !freeSlots.isEmpty() && !(again.isEmpty() && waiting.isEmpty())) {
            Deque<Outgoing> source = again.isEmpty() ? waiting : again;
            Outgoing next = source.remove();
            try {
                if (dead) {
                    throw new RdmaException(Errno.EIO, "the device was removed");
                }
                post(next, freeSlots.element());
            } catch (RdmaException e) {
                if (e.errno() == Errno.ENOMEM && freeSlots.size() < posted.length) {
                    // The send queue is full: the next completion continues.
                    source.addFirst(next);
                    return;
                }
                // Reported later, because the port may be within the call that posts.
                failed.add(next);
                wakeup.run();
            }
        }
    }

    private void post(Outgoing next, int slot) {
        AddressHandles.Entry path = handles.use(next.to.vector());
        try {
            long offset = (long) slot * Mad.BYTES;
            MemorySegment.copy(next.datagram, 0, mr.segment(), offset, Mad.BYTES);
            SendBatch batch = qp.startSend();
            try {
                batch.wrId(slot).signaled().send().destination(path.handle, next.to.qpn(), next.to.qkey());
                if (qp.initAttributes().type() == QpType.GSI) {
                    batch.pkeyIndex(next.to.pkeyIndex());
                }
                batch.sge(mr.lkey(), mr.iova() + offset, Mad.BYTES);
            } catch (RuntimeException e) {
                batch.abort();
                throw e;
            }
            batch.complete();
        } catch (RuntimeException e) {
            handles.release(path);
            throw e;
        }
        freeSlots.remove();
        posted[slot] = next;
        paths[slot] = path;
    }

    // Completions

    /** Takes a completion of the queue pair. */
    void process(WorkCompletion completion, long nowNs) {
        if ((completion.wrId() & IS_RECEIVE) != 0) {
            received((int) completion.wrId(), completion, nowNs);
        } else {
            sent((int) completion.wrId(), completion.status(), nowNs);
        }
    }

    private void sent(int slot, WcStatus status, long nowNs) {
        Outgoing done;
        synchronized (this) {
            done = release(slot);
            if (draining == 0 && qp.state() == QpState.SQE) {
                draining = posted.length - freeSlots.size();
            } else if (draining > 0 && done != null) {
                draining--;
            }
            if (status == WcStatus.WR_FLUSH_ERR && done != null && !dead && qp.state() != QpState.ERR) {
                again.add(done);
                done = null;
            }
            if (draining == 0) {
                restart();
                fill();
            }
        }
        if (done != null) {
            mad.sendCompleted(done.handle, status, nowNs);
        }
    }

    /** Returns the datagram of a slot, which is free then; null for a request of another poster. */
    private @Nullable Outgoing release(int slot) {
        if (slot < 0 || slot >= posted.length) {
            return null;
        }
        Outgoing done = posted[slot];
        AddressHandles.Entry path = paths[slot];
        if (done != null && path != null) {
            posted[slot] = null;
            paths[slot] = null;
            freeSlots.add(slot);
            handles.release(path);
        }
        return done;
    }

    /** An error stops the send queue (SQE). What was behind it is flushed, and posted again when all of it is back. */
    private void restart() {
        if (qp.state() == QpState.SQE) {
            mad.counters().count(MadCounter.SEND_QUEUE_RESTARTS);
            qp.modify(QpAttributes.builder().state(QpState.RTS).build());
        }
    }

    private long bufferOffset(int buffer) {
        return (long) posted.length * Mad.BYTES + (long) buffer * RECEIVE_BYTES;
    }

    private void received(int buffer, WorkCompletion completion, long nowNs) {
        if (completion.status() != WcStatus.SUCCESS) {
            mad.counters().count(MadCounter.RECEIVE_ERRORS);
        } else {
            MemorySegment memory = mr.segment().asSlice(bufferOffset(buffer), RECEIVE_BYTES);
            MadAddress from = source(completion, memory);
            if (from == null) {
                mad.counters().count(MadCounter.NO_SOURCE);
            } else {
                int length = completion.byteLength() - ROUTE_BYTES;
                mad.received(memory.asSlice(ROUTE_BYTES), length, from, nowNs);
            }
        }
        if (qp.state() != QpState.ERR) {
            postReceive(buffer);
        }
    }

    private @Nullable MadAddress source(WorkCompletion completion, MemorySegment memory) {
        try {
            return new MadAddress(
                    context.replyPath(port, completion, memory.asSlice(0, ROUTE_BYTES)),
                    completion.sourceQp(),
                    qkey,
                    completion.pkeyIndex());
        } catch (RdmaException e) {
            // Sent to an address that the port has no more, or to a multicast group.
            return null;
        }
    }

    private void postReceive(int buffer) {
        try {
            qp.startReceive()
                    .receive(IS_RECEIVE | buffer)
                    .sge(mr.lkey(), mr.iova() + bufferOffset(buffer), RECEIVE_BYTES)
                    .complete();
        } catch (RdmaException e) {
            mad.counters().count(MadCounter.RECEIVE_ERRORS);
        }
    }

    /** Reports the sends that could not be posted. */
    void reportFailed(long nowNs) {
        List<Outgoing> all;
        synchronized (this) {
            all = List.copyOf(failed);
            failed.clear();
        }
        all.forEach(one -> mad.sendCompleted(one.handle, WcStatus.LOC_QP_OP_ERR, nowNs));
    }

    /** Uses the present GID and P_Key tables from now on. */
    synchronized void tablesChanged() {
        handles.dropAll();
    }

    /** The device was removed: all sends fail, now and later. */
    synchronized void die() {
        dead = true;
        for (int slot = 0; slot < posted.length; slot++) {
            Outgoing lost = release(slot);
            if (lost != null) {
                failed.add(lost);
            }
        }
        failed.addAll(again);
        failed.addAll(waiting);
        again.clear();
        waiting.clear();
    }

    /** Frees buffers and paths; the queue pair no longer processes requests. */
    @Override
    public synchronized void close() {
        die();
        handles.dropAll();
        mr.close();
    }
}
