package io.rdma4j.verbs;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.RwqTableOps;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@link QueuePair}, which is a handle on it: several handles only for XRC_TGT. Answers to {@code real_qp}
 * of {@code struct ib_qp}. Lives until its last handle is closed.
 */
final class RealQueuePair implements QpEvents {
    private final ProtectionDomain pd;
    private final QpInitAttributes attributes;
    private final Uses uses;
    private final QpOps ops;
    private volatile int port;

    /** Another list whenever one comes or goes: events look at it at any time. */
    private volatile List<QueuePair> handles = List.of();

    /** @param uses the objects that the attributes name */
    RealQueuePair(ProtectionDomain pd, QpInitAttributes attributes, PdOps pdOps, Uses uses) {
        this.pd = pd;
        this.uses = uses;
        this.ops = pdOps.createQp(attributes, resources(attributes), this);
        this.attributes = attributes;
        this.port = attributes.port();
        XrcDomain domain = attributes.xrcDomain();
        if (domain != null) {
            domain.add(this);
        }
    }

    private static QpResources resources(QpInitAttributes attributes) {
        CompletionQueue sends = attributes.sendCq();
        CompletionQueue receives = attributes.receiveCq();
        SharedReceiveQueue shared = attributes.srq();
        XrcDomain domain = attributes.xrcDomain();
        RwqIndirectionTable table = attributes.rwqIndirectionTable();
        CqOps sendCq = sends == null ? null : sends.ops();
        CqOps receiveCq = receives == null ? null : receives.ops();
        SrqOps srq = shared == null ? null : shared.ops();
        XrcdOps xrcDomain = domain == null ? null : domain.ops();
        RwqTableOps queueTable = table == null ? null : table.ops();
        return new QpResources(sendCq, receiveCq, srq, xrcDomain, queueTable);
    }

    /** To all handles. */
    @Override
    public void event(EventType type) {
        for (QueuePair handle : handles) {
            handle.dispatch(type);
        }
    }

    /** A further handle; null if the last one was closed meanwhile. */
    synchronized @Nullable QueuePair open(@Nullable Object userContext, @Nullable Consumer<AsyncEvent> eventHandler) {
        return handles.isEmpty() ? null : add(new QueuePair(this, attributes.withUser(userContext, eventHandler)));
    }

    /** The handle of who made it. */
    synchronized QueuePair first() {
        return add(new QueuePair(this, attributes));
    }

    private QueuePair add(QueuePair handle) {
        List<QueuePair> more = new ArrayList<>(handles);
        more.add(handle);
        handles = List.copyOf(more);
        return handle;
    }

    /** Takes a handle back, and goes away with the last one. */
    synchronized void close(QueuePair handle) {
        handles = handles.stream().filter(other -> other != handle).toList();
        if (!handles.isEmpty()) {
            return;
        }
        XrcDomain domain = attributes.xrcDomain();
        if (domain != null) {
            domain.remove(this);
        }
        groups().forget(this);
        ops.close();
        uses.release();
        RawQuota.destroyed(pd.context(), attributes.type());
        pd.destroyed(ObjectKind.QUEUE_PAIR, this);
    }

    /** See {@link QueuePair#attachMulticast}. */
    void attach(Gid group, int lid) {
        groups().attach(this, group, lid, pd.context().queryDevice());
    }

    /** See {@link QueuePair#detachMulticast}. */
    void detach(Gid group, int lid) {
        groups().detach(this, group, lid);
    }

    private MulticastGroups groups() {
        return pd.context().device().multicastGroups();
    }

    ProtectionDomain pd() {
        return pd;
    }

    QpType type() {
        return attributes.type();
    }

    /** Port of the primary path, from 1; 0 until it was set. */
    int port() {
        return port;
    }

    void port(int number) {
        port = number;
    }

    QpOps ops() {
        return ops;
    }
}
