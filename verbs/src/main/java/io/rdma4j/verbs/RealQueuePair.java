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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@link QueuePair}: the provider's part, and the objects that it uses. A target of an XRC domain has one for each opening;
 * the provider knows that they are of one queue pair ({@code real_qp} of {@code struct ib_qp}).
 */
final class RealQueuePair implements QpEvents {
    private final Context context;
    private final @Nullable ProtectionDomain pd;
    private final Lifecycle parent;
    private final QpInitAttributes attributes;

    /** Gives back what keeps other objects from being closed. */
    private final Runnable release;

    private final QpOps ops;
    private final QueuePair handle;
    private volatile int port;

    /** True once events can be told. */
    private volatile boolean complete;

    private RealQueuePair(
            Context context,
            @Nullable ProtectionDomain pd,
            Lifecycle parent,
            QpInitAttributes attributes,
            Runnable release,
            Function<QpEvents, QpOps> maker) {
        this.context = context;
        this.pd = pd;
        this.parent = parent;
        this.attributes = attributes;
        this.release = release;
        this.port = attributes.port();
        this.ops = maker.apply(this);
        this.handle = new QueuePair(this, attributes);
        this.complete = true;
    }

    /** @param uses the objects that the attributes name */
    static RealQueuePair create(ProtectionDomain pd, QpInitAttributes attributes, PdOps pdOps, Uses uses) {
        return new RealQueuePair(
                pd.context(),
                pd,
                pd.life(),
                attributes,
                uses::release,
                events -> pdOps.createQp(attributes, resources(attributes), events));
    }

    /** One more handle of a target; the domain has counted it. */
    static RealQueuePair open(XrcDomain domain, int qpn, QpInitAttributes attributes) {
        return new RealQueuePair(
                domain.context(),
                null,
                domain.life(),
                attributes,
                () -> domain.life().release(ObjectKind.QUEUE_PAIR),
                events -> domain.ops().openQp(qpn, events));
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

    @Override
    public void event(EventType type) {
        if (complete) {
            handle.dispatch(type);
        }
    }

    /** The handle is closed. */
    void close() {
        groups().forget(this);
        ops.close();
        release.run();
        if (pd != null) {
            RawQuota.destroyed(context, attributes.type());
            pd.destroyed(ObjectKind.QUEUE_PAIR, this);
        }
    }

    /** See {@link QueuePair#attachMulticast}. */
    void attach(Gid group, int lid) {
        groups().attach(this, group, lid, context.queryDevice());
    }

    /** See {@link QueuePair#detachMulticast}. */
    void detach(Gid group, int lid) {
        groups().detach(this, group, lid);
    }

    private MulticastGroups groups() {
        return context.device().multicastGroups();
    }

    Context context() {
        return context;
    }

    /** Null for a target that was opened by its number. */
    @Nullable
    ProtectionDomain pd() {
        return pd;
    }

    /** What an object made from the queue pair is part of: its domain, or the XRC domain that it was opened in. */
    Lifecycle parent() {
        return parent;
    }

    QueuePair handle() {
        return handle;
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
