package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.WqOps;
import java.util.function.Supplier;

/**
 * A receive queue that is no queue pair's own: queue pairs reach it through an {@link RwqIndirectionTable}. Answers to
 * {@code struct ibv_wq} of type {@code IBV_WQT_RQ}.
 *
 * <p>Any thread may call. The caller of {@link ProtectionDomain#createWorkQueue} closes it, after the tables that name it.
 */
public final class WorkQueue implements AutoCloseable {
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final WqOps ops;
    private final Lifecycle life;

    /** One for all posts: a new one each time would be garbage. */
    private final Supplier<ReceiveBatch> receiveDoor = this::startReceive;

    private WqState state = WqState.RESET;

    WorkQueue(ProtectionDomain pd, int handle, CompletionQueue cq, WqOps ops) {
        this.pd = pd;
        this.cq = cq;
        this.ops = ops;
        this.life = new Lifecycle(ObjectKind.WORK_QUEUE + " " + handle, pd.life());
    }

    /** {@return the protection domain of the memory that receives go to} Answers to {@code pd}. */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return pd.context();
    }

    /** {@return where its receives complete} Answers to {@code cq}. */
    public CompletionQueue cq() {
        return cq;
    }

    /** {@return where it was moved to last} Answers to {@code state}. */
    public synchronized WqState state() {
        return state;
    }

    /**
     * Moves it to another state. Answers to {@code ibv_modify_wq} with {@code IBV_WQ_ATTR_STATE}.
     *
     * @param next where it shall go
     * @throws RdmaException EINVAL if that is not RESET to RDY, RDY to ERR, or anything to RESET
     */
    public synchronized void modify(WqState next) {
        Arguments.present("state", next);
        life.checkUsable();
        if (!state.leadsTo(next)) {
            throw new RdmaException(Errno.EINVAL, this + " cannot go from " + state + " to " + next);
        }
        ops.modify(next);
        state = next;
    }

    /**
     * Posts receive requests. Answers to {@code ibv_post_wq_recv}; {@link #startReceive} does the same without allocating.
     *
     * @param requests in the order in which they are to be carried out
     * @throws BadWorkRequestException at the first refused one: EINVAL for too many pieces, 2^31 bytes and more, or a queue
     *     in RESET; ENOMEM if the queue is full. Those before it stay posted.
     */
    public void postReceive(ReceiveRequest... requests) {
        ReceiveRequest.post(Arguments.allPresent("requests", requests), receiveDoor);
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

    Lifecycle life() {
        return life;
    }

    WqOps ops() {
        return ops;
    }

    /**
     * Destroys it; requests that are still posted vanish without completions. Idempotent. Answers to {@code ibv_destroy_wq}.
     *
     * @throws RdmaException EBUSY while a table names it
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
