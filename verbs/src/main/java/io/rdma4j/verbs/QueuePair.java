package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpOps;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue, and what connects them to a peer. Answers to {@code struct ibv_qp}.
 *
 * <p>Any thread may call; posters to the same queue take turns, modifications come one after another. The caller of
 * {@link ProtectionDomain#createQp} closes it.
 */
public final class QueuePair implements AutoCloseable {
    private final ProtectionDomain pd;
    private final QpInitAttributes initAttributes;
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");
    private final ReentrantLock modifying = new ReentrantLock();
    private final QpOps ops;
    private final Lifecycle life;

    QueuePair(ProtectionDomain pd, QpInitAttributes attributes, PdOps pdOps) {
        this.pd = pd;
        this.ops = pdOps.createQp(
                attributes, attributes.sendCq().ops(), attributes.receiveCq().ops(), this::dispatch);
        this.initAttributes = attributes.withCapabilities(ops.capabilities());
        this.life = new Lifecycle(String.format("%s 0x%06x", ObjectKind.QUEUE_PAIR, ops.qpn()));
    }

    private void dispatch(EventType type) {
        AsyncEvent event = new AsyncEvent(type, pd.context(), null, this, 0);
        pd.context().asyncEvents().dispatch(event, initAttributes.eventHandler());
    }

    /** The protection domain it belongs to. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** The context it was made from. */
    public Context context() {
        return pd.context();
    }

    /** Queue pair number: 24 bits. Answers to {@code qp_num}. */
    public int qpn() {
        return ops.qpn();
    }

    /** How it was made, with the sizes that it got. Answers to the second result of {@code ibv_query_qp}. */
    public QpInitAttributes initAttributes() {
        return initAttributes;
    }

    /** What the program attached to it. Answers to {@code qp_context}. */
    public @Nullable Object userContext() {
        return initAttributes.userContext();
    }

    /** The state now; the device itself may change it to SQE or ERR at any time. */
    public QpState state() {
        return ops.state();
    }

    /** All attributes as they are now. Answers to {@code ibv_query_qp}. */
    public QpAttributes query() {
        life.checkOpen();
        return ops.query();
    }

    /**
     * Changes attributes, the state among them. Answers to {@code ibv_modify_qp}; on a refusal nothing has changed.
     *
     * @throws RdmaException EINVAL for a transition or an attribute that {@link QpStateTable} does not have, a value out of
     *     range, or a current state other than assumed; EOPNOTSUPP for {@link QpAttribute#RATE_LIMIT}
     */
    public void modify(QpAttributes attributes) {
        modifying.lock();
        try {
            life.checkOpen();
            check(attributes);
            ops.modify(attributes);
        } finally {
            modifying.unlock();
        }
    }

    private void check(QpAttributes attributes) {
        if (attributes.has(QpAttribute.RATE_LIMIT)) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + ": packet pacing (RATE_LIMIT) is not supported");
        }
        QpState actual = ops.state();
        QpState from = attributes.has(QpAttribute.CUR_STATE) ? attributes.currentState() : actual;
        QpState to = attributes.has(QpAttribute.STATE) ? attributes.state() : from;
        QpStateTable.check(initAttributes.type(), from, to, attributes.mask());
        if (from != actual) {
            throw new RdmaException(Errno.EINVAL, this + " is in " + actual + ", not in " + from + " as assumed");
        }
        new QpAttributeCheck(context(), attributes).values(ops.query().port());
    }

    /**
     * Posts send requests. Answers to {@code ibv_post_send}; {@link #startSend} does the same without allocating.
     *
     * @throws BadWorkRequestException at the first refused one: EINVAL for a wrong state, too many pieces or inline bytes,
     *     a message above 2^31 bytes; ENOMEM if the queue is full. Those before it stay posted.
     */
    public void postSend(SendRequest... requests) {
        postSend(List.of(requests));
    }

    /** As {@link #postSend(SendRequest...)}. */
    public void postSend(List<SendRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            SendRequest request = requests.get(i);
            try {
                post(request);
            } catch (RdmaException e) {
                throw new BadWorkRequestException(i, request, e);
            }
        }
    }

    void post(SendRequest request) {
        request.checkObjects(this);
        SendBatch batch = startSend();
        try {
            request.addTo(batch);
        } catch (RuntimeException e) {
            batch.abort();
            throw e;
        }
        batch.complete();
    }

    /**
     * Posts receive requests. Answers to {@code ibv_post_recv}; {@link #startReceive} does the same without allocating.
     *
     * @throws BadWorkRequestException at the first refused one: EINVAL in RESET, for too many pieces, or 2^31 bytes and
     *     more; ENOMEM if the queue is full. Those before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        postReceive(List.of(requests));
    }

    /** As {@link #postReceive(ReceiveRequest...)}. */
    public void postReceive(List<ReceiveRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            ReceiveRequest request = requests.get(i);
            try {
                ReceiveBatch batch = startReceive();
                request.addTo(batch);
                batch.complete();
            } catch (RdmaException e) {
                throw new BadWorkRequestException(i, request, e);
            }
        }
    }

    /**
     * Begins a batch of sends; the calling thread must complete or abort it soon, since others spin meanwhile. Answers to
     * {@code ibv_wr_start}. Allocates nothing.
     *
     * @throws RdmaException EINVAL if the queue pair is closed
     */
    public SendBatch startSend() {
        life.checkOpen();
        return ops.startSend();
    }

    /** The same for receives. */
    public ReceiveBatch startReceive() {
        life.checkOpen();
        return ops.startReceive();
    }

    EventCounter asyncEventCounter() {
        return asyncEventCounter;
    }

    /**
     * Destroys it; requests that are still posted vanish without completions. Idempotent. Answers to
     * {@code ibv_destroy_qp}, which waits for acknowledgements where this refuses.
     *
     * @throws RdmaException EBUSY while asynchronous events of it are not acknowledged
     */
    @Override
    public void close() {
        asyncEventCounter.checkAcknowledged(life.name());
        if (life.close()) {
            ops.close();
            context().asyncEvents().queue().removeIf(event -> event.queuePair() == this);
            initAttributes.sendCq().life().release(ObjectKind.QUEUE_PAIR);
            initAttributes.receiveCq().life().release(ObjectKind.QUEUE_PAIR);
            pd.destroyed(ObjectKind.QUEUE_PAIR);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
