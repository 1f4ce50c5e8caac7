package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What XRC target queue pairs and the shared receive queues they deliver to have in common. Answers to
 * {@code struct ibv_xrcd}.
 *
 * <p>One target queue pair for each peer serves all shared receive queues of the domain, where other transports need one
 * for each pair of processes. Any thread may call. The caller of {@link Context#openXrcDomain} closes it, after its queue
 * pairs and shared receive queues.
 *
 * {@snippet :
 * try (XrcDomain domain = context.openXrcDomain();
 *         SharedReceiveQueue srq = pd.createSrq(SrqInitAttributes.xrc(new SrqAttributes(256, 1, 0), domain, cq));
 *         QueuePair target = pd.createQp(QpInitAttributes.xrcTarget(domain).build())) {
 *     int forPeers = srq.number();   // they name it in each request, see SendBatch.xrcSrq
 * }
 * }
 */
public final class XrcDomain implements AutoCloseable {
    private final Context context;
    private final XrcdOps ops;
    private final Lifecycle life;

    XrcDomain(Context context, int handle, XrcdOps ops) {
        this.context = context;
        this.ops = ops;
        this.life = new Lifecycle(ObjectKind.XRC_DOMAIN + " " + handle, context.life());
    }

    /** {@return the context it was made from} Answers to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Opens a target queue pair by its number; see {@link #openQp(int, Object, Consumer)}.
     *
     * @param qpn its number, 24 bits
     * @return one more opening of it; the caller closes it
     * @throws RdmaException as there
     */
    public QueuePair openQp(int qpn) {
        return openQp(qpn, null, null);
    }

    /**
     * Opens a target queue pair that was made in this domain, by whichever context or process. It lives until all that made or opened it have
     * closed it. Answers to {@code ibv_open_qp}, and with {@link QueuePair#modify} and {@link QueuePair#query} to
     * {@code ibv_modify_xrc_rcv_qp} and {@code ibv_query_xrc_rcv_qp}.
     *
     * @param qpn its number
     * @param userContext {@code qp_context} of this opening
     * @param eventHandler gets its asynchronous events, as those of all openings do
     * @return one more opening of it; the caller closes it
     * @throws RdmaException ENOENT if the domain has no such queue pair, EINVAL if it is closed
     */
    public QueuePair openQp(int qpn, @Nullable Object userContext, @Nullable Consumer<AsyncEvent> eventHandler) {
        life.checkUsable();
        QpInitAttributes attributes = QpInitAttributes.xrcTarget(this)
                .userContext(userContext)
                .eventHandler(eventHandler)
                .build();
        return life.admit(ObjectKind.QUEUE_PAIR, () -> RealQueuePair.open(this, qpn, attributes))
                .handle();
    }

    Lifecycle life() {
        return life;
    }

    XrcdOps ops() {
        return ops;
    }

    /**
     * Frees it. Idempotent. Answers to {@code ibv_close_xrcd}.
     *
     * @throws RdmaException EBUSY while a queue pair or a shared receive queue belongs to it
     */
    @Override
    public void close() {
        if (life.close(ops::close)) {
            context.life().release(ObjectKind.XRC_DOMAIN);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
