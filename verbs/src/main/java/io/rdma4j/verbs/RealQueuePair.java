// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.Gid;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.core.Uses;
import io.rdma4j.verbs.spi.CqOps;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.QpEvents;
import io.rdma4j.verbs.spi.QpOps;
import io.rdma4j.verbs.spi.QpResources;
import io.rdma4j.verbs.spi.RwqTableOps;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.state.MulticastGroups;
import io.rdma4j.verbs.state.RawQuota;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpType;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state behind a {@link QueuePair}: the provider's object and the objects that it uses. Each opening of an XRC
 * target has an instance of its own; the provider maps them to one queue pair ({@code real_qp} of
 * {@code struct ib_qp}).
 */
final class RealQueuePair implements QpEvents, Supplier<String> {
    private final Context context;
    private final @Nullable ProtectionDomain pd;
    private final Lifecycle parent;
    private final QpInitAttributes attributes;

    /** Releases the objects that may not be closed before this one. */
    private final @Nullable Uses uses;

    private final QpOps ops;
    private final QueuePair handle;
    private volatile int port;

    /** True once events can be delivered. */
    private volatile boolean complete;

    private RealQueuePair(
            Context context,
            @Nullable ProtectionDomain pd,
            Lifecycle parent,
            QpInitAttributes attributes,
            @Nullable Uses uses,
            Function<QpEvents, QpOps> maker) {
        this.context = context;
        this.pd = pd;
        this.parent = parent;
        this.attributes = attributes;
        this.uses = uses;
        this.port = attributes.port();
        this.ops = maker.apply(this);
        this.handle = new QueuePair(this, attributes);
        this.complete = true;
    }

    /**
     * @param uses the objects in the attributes
     */
    static RealQueuePair create(ProtectionDomain pd, QpInitAttributes attributes, PdOps pdOps, Uses uses) {
        return new RealQueuePair(
                pd.context(),
                pd,
                pd.life(),
                attributes,
                uses,
                events -> pdOps.createQp(attributes, resources(attributes), events));
    }

    /** Creates another handle of an XRC target; the domain has counted it. */
    static RealQueuePair open(XrcDomain domain, int qpn, QpInitAttributes attributes) {
        return new RealQueuePair(
                domain.context(),
                null,
                domain.life(),
                attributes,
                null,
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

    /** Returns the name in messages. */
    @Override
    public String get() {
        return String.format("%s 0x%06x", ObjectKind.QUEUE_PAIR, ops.qpn());
    }

    @Override
    public void event(EventType type) {
        if (complete) {
            handle.dispatch(type);
        }
    }

    /** Called when the handle is closed. */
    void close() {
        groups().forget(ops);
        ops.close();
        if (uses == null) {
            parent.release(ObjectKind.QUEUE_PAIR);
        } else {
            uses.release();
        }
        if (pd != null) {
            RawQuota.destroyed(context.state(), attributes.type());
            pd.destroyed(ObjectKind.QUEUE_PAIR, this);
        }
    }

    /** Removes what the queue pair has completed from its completion queues: it is in RESET. */
    void discardCompletions() {
        CompletionQueue sends = attributes.sendCq();
        CompletionQueue receives = attributes.receiveCq();
        if (sends != null) {
            sends.ops().discard(ops.qpn());
        }
        if (receives != null && receives != sends) {
            receives.ops().discard(ops.qpn());
        }
    }

    /** See {@link QueuePair#attachMulticast}. */
    void attach(Gid group, int lid) {
        groups().attach(ops, group, lid, context.queryDevice());
    }

    /** See {@link QueuePair#detachMulticast}. */
    void detach(Gid group, int lid) {
        groups().detach(ops, group, lid);
    }

    private MulticastGroups groups() {
        return context.device().multicastGroups();
    }

    Context context() {
        return context;
    }

    /** Null for an XRC target that was opened by its number. */
    @Nullable
    ProtectionDomain pd() {
        return pd;
    }

    /** The protection domain, or the XRC domain in which the queue pair was opened. */
    Lifecycle parent() {
        return parent;
    }

    QueuePair handle() {
        return handle;
    }

    QpType type() {
        return attributes.type();
    }

    /** Port of the primary path, from 1; 0 if not set. */
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
