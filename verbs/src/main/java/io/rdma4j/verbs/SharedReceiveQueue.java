package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One receive queue for many queue pairs. Answers to {@code struct ibv_srq}.
 *
 * <p>Any thread may call; posters take turns. The caller of {@link ProtectionDomain#createSrq} closes it, after the queue
 * pairs that use it.
 *
 * {@snippet :
 * SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(256, 1));
 * QueuePair one = pd.createQp(QpInitAttributes.builder(cq).srq(srq).build());
 * QueuePair other = pd.createQp(QpInitAttributes.builder(cq).srq(srq).build());
 * srq.postReceive(ReceiveRequest.of(1, mr.sge(0, 4096)));   // for the next message of either
 * }
 */
public final class SharedReceiveQueue implements AutoCloseable {
    private final ProtectionDomain pd;
    private final SrqInitAttributes initAttributes;
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");
    private final Uses uses;
    private final SrqOps ops;
    private final Lifecycle life;

    /** One for all posts: a new one each time would be garbage. */
    private final Supplier<ReceiveBatch> receiveDoor = this::startReceive;

    SharedReceiveQueue(ProtectionDomain pd, int handle, SrqInitAttributes attributes, PdOps pdOps, Uses uses) {
        this.pd = pd;
        this.initAttributes = attributes;
        this.uses = uses;
        this.life = new Lifecycle(ObjectKind.SHARED_RECEIVE_QUEUE + " " + handle, pd.life());
        XrcDomain domain = attributes.xrcDomain();
        CompletionQueue cq = attributes.cq();
        XrcdOps domainOps = domain == null ? null : domain.ops();
        CqOps cqOps = cq == null ? null : cq.ops();
        this.ops = pdOps.createSrq(attributes, domainOps, cqOps, this::dispatch);
    }

    private void dispatch(EventType type) {
        AsyncEvent event = AsyncEvent.of(type, this);
        pd.context().asyncEvents().dispatch(event, initAttributes.eventHandler());
    }

    /** {@return the protection domain of the memory that receives go to} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return pd.context();
    }

    /** {@return ordinary or XRC} */
    public SrqType type() {
        return initAttributes.type();
    }

    /** {@return what the program attached to it} Answers to {@code srq_context}. */
    public @Nullable Object userContext() {
        return initAttributes.userContext();
    }

    /**
     * {@return what XRC senders name it by: 24 bits} Answers to {@code ibv_get_srq_num}.
     *
     * @throws RdmaException EOPNOTSUPP if it is no XRC queue
     */
    public int number() {
        if (initAttributes.type() != SrqType.XRC) {
            throw new RdmaException(Errno.EOPNOTSUPP, this + " has no number: it is not of type XRC");
        }
        return ops.number();
    }

    /**
     * {@return its sizes, and the limit if it is armed} Answers to {@code ibv_query_srq}.
     *
     * @throws RdmaException EINVAL if it is closed, EIO once the device is gone
     */
    public SrqAttributes query() {
        life.checkUsable();
        return ops.query();
    }

    /**
     * Arms the watermark: once fewer than {@code limit} requests are left, {@link EventType#SRQ_LIMIT_REACHED} is raised and
     * the watermark is gone. Answers to {@code ibv_modify_srq} with {@code IBV_SRQ_LIMIT}.
     *
     * @param limit 0 disarms
     * @throws RdmaException EINVAL if it is not in 0..{@code max_wr}
     */
    public void armLimit(int limit) {
        life.checkUsable();
        Arguments.range("srq_limit", limit, 0, ops.query().maxWr());
        ops.armLimit(limit);
    }

    /**
     * Makes it hold at least {@code maxWr} requests, while it is in use. Answers to {@code ibv_modify_srq} with
     * {@code IBV_SRQ_MAX_WR}.
     *
     * @param maxWr {@code max_wr}: 1 to {@code max_srq_wr}
     * @throws RdmaException EINVAL if it is not in 1..{@code max_srq_wr}, below the limit that is armed or below the number of
     *     requests that wait; EOPNOTSUPP if the device cannot
     */
    public void resize(int maxWr) {
        life.checkUsable();
        context().admission().require(DeviceCapability.SRQ_RESIZE);
        long max = context().queryDevice().limit(DeviceLimit.MAX_SRQ_WR);
        Arguments.range("max_wr", maxWr, Math.max(1, ops.query().limit()), max);
        ops.resize(maxWr);
    }

    /**
     * Posts receive requests. Answers to {@code ibv_post_srq_recv}; {@link #startReceive} does the same without allocating.
     *
     * @param requests in the order in which they are to be carried out
     * @throws BadWorkRequestException at the first refused one: EINVAL for too many pieces, or 2^31 bytes and more; ENOMEM
     *     if the queue is full. Those before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        postReceive(Arguments.allPresent("requests", requests));
    }

    /**
     * As {@link #postReceive(ReceiveRequest...)}.
     *
     * @param requests in the order in which they are to be carried out; the list is read during the call only
     * @throws BadWorkRequestException as there
     */
    public void postReceive(List<ReceiveRequest> requests) {
        ReceiveRequest.post(requests, receiveDoor);
    }

    /**
     * Begins a batch of receives; the calling thread must complete or abort it soon, since others spin meanwhile. Allocates
     * nothing.
     *
     * @return the queue's one batch, to be completed or aborted by this thread
     * @throws RdmaException EINVAL if the queue is closed
     */
    public ReceiveBatch startReceive() {
        life.checkOpen();
        return ops.startReceive();
    }

    EventCounter asyncEventCounter() {
        return asyncEventCounter;
    }

    Lifecycle life() {
        return life;
    }

    SrqOps ops() {
        return ops;
    }

    /**
     * Destroys it; requests that are still posted vanish without completions. Idempotent. Answers to {@code ibv_destroy_srq}.
     *
     * @throws RdmaException EBUSY while a queue pair uses it or events are not acknowledged
     */
    @Override
    public void close() {
        asyncEventCounter.checkAcknowledged(life.name());
        if (life.close(ops::close)) {
            context().asyncEvents().queue().removeIf(event -> event.sharedReceiveQueue() == this);
            uses.release();
            pd.destroyed(ObjectKind.SHARED_RECEIVE_QUEUE, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
