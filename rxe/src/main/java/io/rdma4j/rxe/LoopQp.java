package io.rdma4j.rxe;

import io.rdma4j.base.Deadline;
import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.Timed;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.Engine;
import io.rdma4j.transport.PacketPort;
import io.rdma4j.transport.QpQueues;
import io.rdma4j.verbs.DeviceCapability;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpCapabilities;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReceiveBatch;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;
import io.rdma4j.verbs.queue.QueueOwner;
import io.rdma4j.verbs.queue.RingReceiveBatch;
import io.rdma4j.verbs.queue.RingSendBatch;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair as the port loop drives it, whatever its packets are: the application's ends of its queues, its doorbell, and its
 * place in the loop's lists. Its engine is the subclass's.
 */
abstract class LoopQp extends Timed implements QpOps, QueueOwner, PacketPort {
    private static final VarHandle RUNG;

    static {
        try {
            RUNG = MethodHandles.lookup().findVarHandle(LoopQp.class, "isRung", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final QpAttributes RESET =
            QpAttributes.builder().state(QpState.RESET).build();

    private final RxePort port;
    private final QpEvents events;
    private final QpInitAttributes attributes;
    private final QpQueues queues;

    /** How long packets of a queue pair in ERR are still there to be received. */
    static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** None until the application posts for the first time: very many queue pairs that only wait are to take little room. */
    private volatile @Nullable ClientEnds clientEnds;

    // Links of the port loop's lists; see there.
    @Nullable
    LoopQp nextRung;

    @Nullable
    LoopQp nextReady;

    boolean isReady;

    /** As of the end of its last turn. */
    private boolean isInError;

    /** When the device takes back what it still has of the queue pair's packets. */
    private long dropAtNs = Deadline.NEVER;

    @SuppressWarnings("unused") // through RUNG
    private volatile boolean isRung;

    /** @param queues that {@link WorkQueues} made of the attributes */
    LoopQp(RxePort port, QpInitAttributes attributes, QpQueues queues, QpEvents events) {
        this.port = port;
        this.events = events;
        this.attributes = attributes;
        this.queues = queues;
        RingSendBatch.check(attributes.type(), operations(), attributes.sendOperations());
    }

    /** The application's ends of the two queues. */
    private record ClientEnds(RingSendBatch sends, RingReceiveBatch receives) {}

    private ClientEnds clientEnds() {
        ClientEnds there = clientEnds;
        return there == null ? makeClientEnds() : there;
    }

    private synchronized ClientEnds makeClientEnds() {
        ClientEnds ends = clientEnds;
        if (ends == null) {
            QpType type = attributes.type();
            boolean checksums = type == QpType.UD
                    && RxeCapabilities.of(port.options().profile()).contains(DeviceCapability.UD_IP_CSUM);
            ends = new ClientEnds(
                    new RingSendBatch(
                            queues.sendQueue(), this, type, operations(), attributes.sendOperations(), checksums),
                    new RingReceiveBatch(queues.receiveQueue(), this));
            clientEnds = ends;
        }
        return ends;
    }

    /** What the device carries out for this queue pair. */
    private Set<WrOpcode> operations() {
        return RxeCapabilities.operations(port.options().profile(), attributes);
    }

    abstract Engine engine();

    final RxePort port() {
        return port;
    }

    // Towards the application

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
        port.netLoop().exclusively(() -> {
            if (Engine.endsWork(attributes)) {
                port.loop().finish(this);
            } else {
                port.failure().check();
            }
            engine().check(attributes);
            apply(attributes);
            engine().modify(attributes);
            if (state() == QpState.RESET) {
                dropPackets();
            }
        });
        port.loop().ring(this);
    }

    /** Refuses attributes that the device does not take. */
    void check(QpAttributes attributes) {}

    /** Takes over what attributes mean outside of the engine; by the owner of the loop. */
    void apply(QpAttributes attributes) {}

    @Override
    public final QpAttributes query() {
        return port.netLoop().exclusively(() -> engine().query());
    }

    @Override
    public final SendBatch startSend() {
        return clientEnds().sends().start();
    }

    @Override
    public final ReceiveBatch startReceive() {
        return clientEnds().receives().start();
    }

    @Override
    public final void ringDoorbell() {
        port.loop().ring(this);
    }

    @Override
    public final void close() {
        port.netLoop().exclusively(() -> {
            port.loop().finish(this);
            port.loop().forget(this);
            leave();
            port.queuePairs().remove(this);
            // What is still under way completes nothing any more.
            engine().modify(RESET);
            dropPackets();
        });
    }

    /** Receives nothing any more; by the owner of the loop. */
    void leave() {}

    // Towards the queues

    @Override
    public final void sendDoorbell() {
        port.loop().ring(this);
    }

    /** Receives are found when a message needs one; only a broken queue pair has to see them at once, to flush them. */
    @Override
    public final void receiveDoorbell() {
        if (engine().state() == QpState.ERR) {
            port.loop().ring(this);
        }
    }

    // Towards the engine

    @Override
    public final @Nullable SkBuff allocate() {
        return port.output().allocate();
    }

    @Override
    public final void sendable() {
        port.loop().ready(this);
    }

    @Override
    public final void event(EventType event) {
        events.event(event);
    }

    // Towards the port loop

    /**
     * The queue pair had its turn; by the owner of the loop. In ERR its packets have some time left to be received, as they have on a network. Then the
     * device takes them back, as a peer that is stopped would keep their buffers for as long as it is.
     */
    final void endTurn(long nowNs) {
        boolean inError = state() == QpState.ERR;
        if (inError != isInError) {
            isInError = inError;
            boolean mayHavePackets = inError && port.output().buffersInUse() > 0;
            dropAtNs = mayHavePackets ? Deadline.after(nowNs, GRACE_NS) : Deadline.NEVER;
        }
        port.netLoop().schedule(this);
    }

    private void dropPackets() {
        dropAtNs = Deadline.NEVER;
        port.output().dropPayloadOf(this);
    }

    /** See {@link Engine#pollTransmit}. Memory that cannot be read ends this queue pair only. */
    final boolean transmit(long nowNs, int budget) {
        try {
            return engine().pollTransmit(nowNs, budget);
        } catch (InternalError fault) {
            onMemoryFault();
            return false;
        }
    }

    /** Memory that the queue pair uses cannot be accessed: the page of a mapped file is not there (SIGBUS). */
    final void onMemoryFault() {
        engine().breakDown(WcStatus.LOC_PROT_ERR);
        event(EventType.QP_FATAL);
        port.loop().ready(this);
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
        engine().onTimeout(nowNs);
        port.loop().ready(this);
    }

    @Override
    protected final LoopClient client() {
        return port.loop();
    }

    /** True if the doorbell was silent: the caller puts the queue pair into the list of those whose doorbell was rung. */
    final boolean markRung() {
        return !isRung && RUNG.compareAndSet(this, false, true);
    }

    final void clearRung() {
        isRung = false;
    }
}
