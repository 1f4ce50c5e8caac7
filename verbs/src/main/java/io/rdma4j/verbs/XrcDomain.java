// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups XRC target queue pairs and the shared receive queues that they deliver to. Corresponds to
 * {@code struct ibv_xrcd}.
 *
 * <p>One target queue pair per peer serves all shared receive queues of the domain. Other transports need one queue
 * pair for each pair of processes. Any thread. The caller of {@link Context#openXrcDomain} closes it, after its queue
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

    /** {@return the context that it was created from} Corresponds to {@code context}. */
    public Context context() {
        return context;
    }

    /**
     * Opens a target queue pair by its number; see {@link #openQp(int, Object, Consumer)}.
     *
     * @param qpn its number, 24 bits
     * @return another opening of it; the caller closes it
     * @throws RdmaException as {@link #openQp(int, Object, Consumer)}
     */
    public QueuePair openQp(int qpn) {
        return openQp(qpn, null, null);
    }

    /**
     * Opens a target queue pair that any context or process has created in this domain. The queue pair exists until its
     * creator and all openers have closed it. Corresponds to {@code ibv_open_qp}, and with {@link QueuePair#modify} and
     * {@link QueuePair#query} to {@code ibv_modify_xrc_rcv_qp} and {@code ibv_query_xrc_rcv_qp}.
     *
     * @param qpn its number, 24 bits
     * @param userContext {@code qp_context} of this opening
     * @param eventHandler receives the queue pair's asynchronous events, which are delivered to all openings
     * @return another opening of it; the caller closes it
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
     * Frees the domain. Idempotent. Corresponds to {@code ibv_close_xrcd}.
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
