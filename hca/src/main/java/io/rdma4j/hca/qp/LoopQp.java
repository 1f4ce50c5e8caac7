// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.base.Deadline;
import io.rdma4j.loop.LoopClient;
import io.rdma4j.loop.Timed;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.Engine;
import io.rdma4j.transport.port.PacketPort;
import io.rdma4j.transport.port.QpQueues;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpSetup;
import io.rdma4j.verbs.spi.ring.QueueOwner;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.spi.ring.RingSendBatch;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.SendBatch;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair as the port loop drives it, independent of its packet format: the posting ends of its queues, its
 * doorbell, and its links in the loop's lists. Subclasses provide the engine.
 */
public abstract class LoopQp extends Timed implements QpOps, QueueOwner, PacketPort {
    private static final VarHandle DOORBELL;

    static {
        try {
            DOORBELL = MethodHandles.lookup().findVarHandle(LoopQp.class, "isDoorbellSet", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final QpAttributes RESET =
            QpAttributes.builder().state(QpState.RESET).build();

    private final LoopServices services;
    private final QpEvents events;
    private final QpSetup attributes;
    private final QpQueues queues;

    /** Time for which packets of a queue pair in ERR can still be received, ns. */
    public static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    // The posting ends of the two queues; each is null until the application posts for the first time, so that many
    // idle queue pairs need little memory.
    private volatile @Nullable RingSendBatch sends;
    private volatile @Nullable RingReceiveBatch receives;

    // Links of the lists in PortLoop
    @Nullable
    LoopQp nextPending;

    @Nullable
    LoopQp nextReady;

    boolean isReady;

    /** State at the end of the last turn. */
    private boolean isInError;

    /** Time at which the device drops the queue pair's packets. */
    private long dropAtNs = Deadline.NEVER;

    /**
     * The link to the queue pair to which this one is connected; null if there is none. Written by the owner of the
     * loop.
     */
    private volatile @Nullable QpLink link;

    @SuppressWarnings("unused") // through DOORBELL
    private volatile boolean isDoorbellSet;

    protected LoopQp(QpRequest request, LoopServices services) {
        this.services = services;
        this.events = request.events();
        this.attributes = request.attributes();
        this.queues = request.queues();
        RingSendBatch.check(attributes.type(), operations(), attributes.sendOperations());
    }

    private synchronized RingSendBatch makeSends() {
        RingSendBatch made = sends;
        if (made == null) {
            QpType type = attributes.type();
            boolean checksums = type == QpType.UD && services.capabilities().has(DeviceCapability.UD_IP_CSUM);
            made = new RingSendBatch(
                    queues.sendQueue(), this, type, operations(), attributes.sendOperations(), checksums);
            sends = made;
        }
        return made;
    }

    private synchronized RingReceiveBatch makeReceives() {
        RingReceiveBatch made = receives;
        if (made == null) {
            made = new RingReceiveBatch(queues.receiveQueue(), this);
            receives = made;
        }
        return made;
    }

    final QpType type() {
        return attributes.type();
    }

    /** Returns the operations that the device supports for this queue pair. */
    private Set<WrOpcode> operations() {
        return services.capabilities().operations(attributes);
    }

    public abstract Engine engine();

    // Interface to the application

    @Override
    public final int qpn() {
        return engine().qpn();
    }

    @Override
    public final QpCapabilities capabilities() {
        return WorkQueues.sizes(queues, attributes.type());
    }

    @Override
    public final QpState state() {
        return engine().state();
    }

    @Override
    public final void modify(QpAttributes attributes) {
        check(attributes);
        services.loop().exclusively(() -> {
            if (Engine.endsWork(attributes)) {
                services.loop().finish(this);
            } else {
                services.states().failure().check();
            }
            dissolveLink();
            engine().check(attributes);
            if (attributes.has(QpAttribute.CAP)) {
                resize(attributes.capabilities());
            }
            apply(attributes);
            engine().modify(attributes);
            if (state() == QpState.RESET) {
                dropPackets();
            }
        });
        services.loop().ring(this);
    }

    /** For the owner of the loop. Threads that post wait during the resize. */
    private synchronized void resize(QpCapabilities wanted) {
        if (sends == null && receives == null) {
            WorkQueues.resize(queues, attributes, wanted);
            return;
        }
        makeSends().follow(() -> {
            makeReceives().follow(() -> {
                WorkQueues.resize(queues, attributes, wanted);
                return queues.receiveQueue();
            });
            return queues.sendQueue();
        });
    }

    /** Throws for attributes that the device does not support. */
    void check(QpAttributes attributes) {}

    /** Applies attributes that concern the device rather than the engine. For the owner of the loop. */
    void apply(QpAttributes attributes) {}

    @Override
    public final QpAttributes query() {
        return services.loop()
                .exclusively(() ->
                        queryEngine().toBuilder().capabilities(capabilities()).build());
    }

    private QpAttributes queryEngine() {
        QpLink held = hold();
        try {
            passStores();
            return engine().query();
        } finally {
            release(held);
        }
    }

    @Override
    public final SendBatch startSend() {
        RingSendBatch there = sends;
        return (there == null ? makeSends() : there).start();
    }

    @Override
    public final ReceiveBatch startReceive() {
        RingReceiveBatch there = receives;
        return (there == null ? makeReceives() : there).start();
    }

    @Override
    public final void ringDoorbell() {
        services.loop().ring(this);
    }

    @Override
    public final void close() {
        services.loop().exclusively(() -> {
            services.loop().finish(this);
            services.loop().forget(this);
            dissolveLink();
            leave();
            services.queuePairs().remove(this);
            // Requests in flight do not complete any more.
            engine().modify(RESET);
            dropPackets();
        });
    }

    /** Ends reception. For the owner of the loop. */
    protected void leave() {}

    // The link to the peer

    /** Returns the link; null if there is none. For the owner of the loop. */
    final @Nullable QpLink link() {
        QpLink now = link;
        if (now != null && now.isDissolved()) {
            link = null;
            return null;
        }
        return now;
    }

    final void link(QpLink next) {
        link = next;
    }

    /** Makes a link if there is none and one is possible. For the owner of the loop. */
    void joinLink() {}

    /** Ends the link, if there is one: afterwards the engine belongs to the owner of the loop alone. */
    void dissolveLink() {}

    /**
     * Locks posting threads out of the engine. For the owner of the loop.
     *
     * @return the link to {@link #release}; null if there is none, or if the caller has locked them out already
     */
    final @Nullable QpLink hold() {
        QpLink now = link();
        return now != null && now.hold() ? now : null;
    }

    /** See {@link QpLink#passStores}. */
    final void passStores() {
        QpLink now = link();
        if (now != null) {
            now.passStores();
        }
    }

    static void release(@Nullable QpLink held) {
        if (held != null) {
            held.release();
        }
    }

    // Interface to the queues

    @Override
    public final boolean deliver() {
        QpLink now = link;
        return now != null && now.deliver(engine());
    }

    @Override
    public final void sendDoorbell() {
        services.loop().ring(this);
    }

    /**
     * The engine reads receive requests when a message needs one. Only a queue pair in ERR processes them at once, to
     * flush them.
     */
    @Override
    public final void receiveDoorbell() {
        if (engine().state() == QpState.ERR) {
            services.loop().ring(this);
        }
    }

    // Interface to the engine

    @Override
    public final @Nullable SkBuff allocate() {
        return services.output().allocate();
    }

    @Override
    public final void sendable() {
        services.loop().ready(this);
    }

    @Override
    public final void event(EventType event) {
        events.event(event);
    }

    // Interface to the port loop

    /**
     * Ends a turn of the queue pair. For the owner of the loop. In ERR its packets can still be received for
     * {@link #GRACE_NS}, as on a network. Then the device drops them, because a stopped peer would hold their buffers
     * for an unlimited time.
     */
    final void endTurn(long nowNs) {
        boolean inError = state() == QpState.ERR;
        if (inError != isInError) {
            isInError = inError;
            boolean mayHavePackets = inError && services.output().buffersInUse() > 0;
            dropAtNs = mayHavePackets ? Deadline.after(nowNs, GRACE_NS) : Deadline.NEVER;
        }
        services.loop().schedule(this);
    }

    private void dropPackets() {
        dropAtNs = Deadline.NEVER;
        services.output().dropPayloadOf(this);
    }

    /** See {@link Engine#pollTransmit}. Memory that cannot be read breaks this queue pair only. */
    final boolean transmit(long nowNs, int budget) {
        joinLink();
        QpLink held = hold();
        boolean more = false;
        try {
            if (held != null) {
                held.deliverInLoop(engine());
            }
            more = engine().pollTransmit(nowNs, budget);
        } catch (InternalError fault) {
            onMemoryFault();
        } finally {
            release(held);
        }
        if (held != null) {
            // After the release, so that a handler of the application can post on the link.
            held.raiseEvents();
        }
        return more;
    }

    /** Ends all requests with errors, see {@link Engine#breakDown}. For the owner of the loop. */
    public final void breakDown(WcStatus status) {
        QpLink held = hold();
        try {
            engine().breakDown(status);
        } finally {
            release(held);
        }
    }

    /** Handles an inaccessible page in memory that the queue pair uses, such as a truncated mapped file (SIGBUS). */
    final void onMemoryFault() {
        breakDown(WcStatus.LOC_PROT_ERR);
        event(EventType.QP_FATAL);
        services.loop().ready(this);
    }

    @Override
    protected final long nextDeadlineNs() {
        return Deadline.earlier(dropAtNs, engine().nextDeadlineNs());
    }

    @Override
    protected final void onDeadline(long nowNs) {
        if (Deadline.isDue(dropAtNs, nowNs)) {
            dropPackets();
        }
        QpLink held = hold();
        try {
            if (held != null) {
                held.deliverInLoop(engine());
            }
            engine().onTimeout(nowNs);
        } catch (InternalError gone) {
            onMemoryFault();
        } finally {
            release(held);
        }
        services.loop().ready(this);
    }

    @Override
    protected final LoopClient client() {
        return services.loop();
    }

    /**
     * Returns true if the doorbell was not set before: the caller then pushes the queue pair onto the list of pending
     * ones.
     */
    final boolean setDoorbell() {
        return !isDoorbellSet && DOORBELL.compareAndSet(this, false, true);
    }

    final void clearDoorbell() {
        isDoorbellSet = false;
    }
}
