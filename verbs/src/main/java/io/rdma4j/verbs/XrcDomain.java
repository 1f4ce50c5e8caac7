package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
    private final Map<Integer, RealQueuePair> targets = new ConcurrentHashMap<>();

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
     * Opens a target queue pair that somebody has made in this domain. It lives until the last of those who made or opened
     * it have closed it. Answers to {@code ibv_open_qp}.
     *
     * @param qpn its number
     * @param userContext {@code qp_context} of this opening
     * @param eventHandler gets its asynchronous events, as those of all openings do
     * @return one more opening of it; the caller closes it
     * @throws RdmaException ENOENT if the domain has no such queue pair, EINVAL if it is closed
     */
    public QueuePair openQp(int qpn, @Nullable Object userContext, @Nullable Consumer<AsyncEvent> eventHandler) {
        life.checkUsable();
        RealQueuePair target = targets.get(qpn);
        QueuePair opened = target == null ? null : target.open(userContext, eventHandler);
        if (opened == null) {
            throw new RdmaException(
                    Errno.ENOENT, String.format("%s has no XRC_TGT queue pair with number 0x%06x", this, qpn));
        }
        return opened;
    }

    void add(RealQueuePair target) {
        targets.put(target.ops().qpn(), target);
    }

    void remove(RealQueuePair target) {
        targets.remove(target.ops().qpn());
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
