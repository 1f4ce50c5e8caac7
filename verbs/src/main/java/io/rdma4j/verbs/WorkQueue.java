// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.WqOps;
import io.rdma4j.verbs.values.WqState;
import io.rdma4j.verbs.wr.ReceiveBatch;

/**
 * A receive queue that belongs to no queue pair; queue pairs use it through an {@link RwqIndirectionTable}. Corresponds
 * to {@code struct ibv_wq} of type {@code IBV_WQT_RQ}.
 *
 * <p>Any thread. The caller of {@link ProtectionDomain#createWorkQueue} closes it, after the tables that contain it.
 */
public final class WorkQueue implements ReceiveRequest.Poster, AutoCloseable {
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final WqOps ops;
    private final Lifecycle life;

    private WqState state = WqState.RESET;

    WorkQueue(ProtectionDomain pd, int handle, CompletionQueue cq, WqOps ops) {
        this.pd = pd;
        this.cq = cq;
        this.ops = ops;
        this.life = new Lifecycle(ObjectKind.WORK_QUEUE + " " + handle, pd.life());
    }

    /** {@return the protection domain of the memory of its receives} Corresponds to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the context that it was created from} Corresponds to {@code context}. */
    public Context context() {
        return pd.context();
    }

    /** {@return the completion queue of its receives} Corresponds to {@code cq}. */
    public CompletionQueue cq() {
        return cq;
    }

    /** {@return the state that {@link #modify} set last} Corresponds to {@code state}. */
    public synchronized WqState state() {
        return state;
    }

    /**
     * Changes the state. Corresponds to {@code ibv_modify_wq} with {@code IBV_WQ_ATTR_STATE}.
     *
     * @param next the new state
     * @throws RdmaException EINVAL unless the transition is RESET to RDY, RDY to ERR, or any state to RESET
     */
    public synchronized void modify(WqState next) {
        Arguments.present("state", next);
        life.checkUsable();
        boolean mayFollow = switch (next) {
            case RESET -> true;
            case RDY -> state == WqState.RESET;
            case ERR -> state == WqState.RDY;
        };
        if (!mayFollow) {
            throw new RdmaException(Errno.EINVAL, this + " cannot go from " + state + " to " + next);
        }
        ops.modify(next);
        state = next;
    }

    /**
     * Posts receive requests. Corresponds to {@code ibv_post_wq_recv}; {@link #startReceive} does the same without
     * allocation.
     *
     * @param requests in the order of execution
     * @throws BadWorkRequestException at the first rejected request: EINVAL for too many scatter/gather elements, 2^31
     *     bytes and more, or a queue in RESET; ENOMEM if the queue is full. The requests before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        ReceiveRequest.post(Arguments.allPresent("requests", requests), this);
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

    Lifecycle life() {
        return life;
    }

    WqOps ops() {
        return ops;
    }

    /**
     * Destroys the queue. Posted requests are discarded without completions. Idempotent. Corresponds to
     * {@code ibv_destroy_wq}.
     *
     * @throws RdmaException EBUSY while a table contains it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            cq.life().release(ObjectKind.WORK_QUEUE);
            pd.destroyed(ObjectKind.WORK_QUEUE, this);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
