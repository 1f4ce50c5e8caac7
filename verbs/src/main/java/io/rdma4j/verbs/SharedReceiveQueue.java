// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.EventCounter;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.core.Uses;
import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.DeviceLimit;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.values.SrqType;
import io.rdma4j.verbs.wr.ReceiveBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receive queue that several queue pairs use. Corresponds to {@code struct ibv_srq}.
 *
 * <p>Any thread. Threads that post exclude each other. The caller of {@link ProtectionDomain#createSrq} closes it,
 * after the queue pairs that use it.
 *
 * {@snippet :
 * SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.basic(256, 1));
 * QueuePair one = pd.createQp(QpInitAttributes.builder(cq).srq(srq).build());
 * QueuePair other = pd.createQp(QpInitAttributes.builder(cq).srq(srq).build());
 * srq.postReceive(ReceiveRequest.of(1, mr.sge(0, 4096)));   // for the next message of either
 * }
 */
public final class SharedReceiveQueue implements ReceiveRequest.Poster, AutoCloseable {
    private final ProtectionDomain pd;
    private final SrqInitAttributes initAttributes;
    private final EventCounter asyncEventCounter = new EventCounter("asynchronous events");
    private final Uses uses;
    private final SrqOps ops;
    private final Lifecycle life;

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

    /** {@return the protection domain of the memory of its receives} Corresponds to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the context that it was created from} Corresponds to {@code context}. */
    public Context context() {
        return pd.context();
    }

    /** {@return ordinary or XRC} */
    public SrqType type() {
        return initAttributes.type();
    }

    /** {@return the object that the application attached} Corresponds to {@code srq_context}. */
    public @Nullable Object userContext() {
        return initAttributes.userContext();
    }

    /**
     * {@return the number that XRC senders use for it: 24 bits} Corresponds to {@code ibv_get_srq_num}.
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
     * {@return its sizes, and the limit if it is armed} Corresponds to {@code ibv_query_srq}.
     *
     * @throws RdmaException EINVAL if it is closed, EIO once the device is removed
     */
    public SrqAttributes query() {
        life.checkUsable();
        return ops.query();
    }

    /**
     * Arms the limit. When fewer than {@code limit} requests are left, the device raises
     * {@link EventType#SRQ_LIMIT_REACHED} once and disarms the limit. Corresponds to {@code ibv_modify_srq} with
     * {@code IBV_SRQ_LIMIT}.
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
     * Resizes the queue to at least {@code maxWr} requests, while it is in use. Corresponds to {@code ibv_modify_srq}
     * with {@code IBV_SRQ_MAX_WR}.
     *
     * @param maxWr {@code max_wr}: 1 to {@code max_srq_wr}
     * @throws RdmaException EINVAL if it is not in 1..{@code max_srq_wr}, below the armed limit or below the number of
     *     posted requests; EOPNOTSUPP if the device does not support it
     */
    public void resize(int maxWr) {
        life.checkUsable();
        context().admission().require(DeviceCapability.SRQ_RESIZE);
        long max = context().queryDevice().limit(DeviceLimit.MAX_SRQ_WR);
        Arguments.range("max_wr", maxWr, Math.max(1, ops.query().limit()), max);
        ops.resize(maxWr);
    }

    /**
     * Posts receive requests. Corresponds to {@code ibv_post_srq_recv}; {@link #startReceive} does the same without
     * allocation.
     *
     * @param requests in the order of execution
     * @throws BadWorkRequestException at the first rejected request: EINVAL for too many scatter/gather elements, or
     *     for 2^31 bytes and more; ENOMEM if the queue is full. The requests before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        postReceive(Arguments.allPresent("requests", requests));
    }

    /**
     * Posts receive requests, as {@link #postReceive(ReceiveRequest...)}.
     *
     * @param requests in the order of execution; the list is read only during the call
     * @throws BadWorkRequestException as {@link #postReceive(ReceiveRequest...)}
     */
    public void postReceive(List<ReceiveRequest> requests) {
        ReceiveRequest.post(requests, this);
    }

    /**
     * Begins a batch of receives. The calling thread must complete or abort it soon, because other threads that post to
     * this queue spin until then. Allocates nothing.
     *
     * @return the batch object of the queue, always the same; this thread must complete or abort it
     * @throws RdmaException EINVAL if the queue is closed
     */
    @Override
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
     * Destroys the queue. Posted requests are discarded without completions. Idempotent. Corresponds to
     * {@code ibv_destroy_srq}.
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
