// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.values.SrqAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The shared receive queue of an id, and the completion queues that the id has made because the program has named none.
 * They end with the id. Any thread.
 */
public final class IdQueues {
    private final IdView id;
    private final ManagerLock lock;
    private final DefaultDomains domains;
    // Written with the lock of rdma_cm.
    private DefaultDomains.@Nullable Share share;
    private @Nullable ProtectionDomain pd;
    private volatile @Nullable CompletionQueue sendCq;
    private volatile @Nullable CompletionQueue receiveCq;
    private volatile @Nullable SharedReceiveQueue srq;

    IdQueues(IdView id, ManagerParts parts) {
        this.id = id;
        this.lock = parts.lock;
        this.domains = parts.domains;
    }

    /** {@return the completion queue that the id has made for sends; null if there is none: {@code send_cq}} */
    public @Nullable CompletionQueue sendCq() {
        return sendCq;
    }

    /** {@return the completion queue that the id has made for receives; null if there is none: {@code recv_cq}} */
    public @Nullable CompletionQueue receiveCq() {
        return receiveCq;
    }

    /** {@return the queue of {@link #createSrq}; null if there is none: {@code srq}} */
    public @Nullable SharedReceiveQueue srq() {
        return srq;
    }

    /**
     * {@return the domain of the queues of the id, or the one that all ids of the device share: {@code pd}} The last id
     * closes the shared one.
     *
     * @throws RdmaException ENODEV without device; EINVAL if the id is closed
     */
    public ProtectionDomain protectionDomain() {
        return lock.locked(() -> {
            ProtectionDomain chosen = domain(null);
            pd = chosen;
            return chosen;
        });
    }

    /**
     * Creates the shared receive queue of the id, for its queue pair. That of an id of type XRC_TGT is in the XRC
     * domain that all ids of the device share, and has a completion queue: {@link #receiveCq}. Corresponds to
     * {@code rdma_create_srq} and {@code rdma_create_srq_ex}.
     *
     * @param domain of a context of the id's device; null for the one that all ids of the device share
     * @param sizes requested sizes
     * @return the queue
     * @throws RdmaException EINVAL if there is one already, or the domain belongs to another device; ENODEV without
     *     device; errors of {@link ProtectionDomain#createSrq}
     */
    public SharedReceiveQueue createSrq(@Nullable ProtectionDomain domain, SrqAttributes sizes) {
        return lock.locked(() -> create(domain, sizes));
    }

    /**
     * Closes the shared receive queue; does nothing without one. Corresponds to {@code rdma_destroy_srq}.
     *
     * @throws RdmaException EBUSY while the queue pair uses it
     */
    public void destroySrq() {
        lock.locked(() -> {
            SharedReceiveQueue own = srq;
            if (own != null) {
                own.close();
                srq = null;
                closeUnused();
            }
            return true;
        });
    }

    // All below: with the lock.

    private Context context() {
        if (id.state == RdmaIdState.DESTROYING) {
            throw IdErrors.invalid(id + " is closed");
        }
        Context own = id.requireDevice().context();
        if (own == null) {
            throw IdErrors.invalid(id + " has no device");
        }
        return own;
    }

    private ProtectionDomain domain(@Nullable ProtectionDomain asked) {
        ProtectionDomain chosen = asked == null ? pd : asked;
        if (chosen == null) {
            chosen = share().pd();
        }
        if (!context().device().equals(chosen.context().device())) {
            throw IdErrors.invalid(id + " and " + chosen + " belong to different devices");
        }
        return chosen;
    }

    private DefaultDomains.Share share() {
        DefaultDomains.Share own = share;
        if (own == null) {
            own = domains.share(id.requireDevice(), context());
            share = own;
        }
        return own;
    }

    QueuePair createQp(@Nullable ProtectionDomain asked, QpInitAttributes attributes) {
        check("send", sendCq, attributes.sendCq());
        check("receive", receiveCq, attributes.receiveCq());
        ProtectionDomain chosen = domain(asked);
        QueuePair created;
        try {
            created = chosen.createQp(complete(attributes));
        } catch (RdmaException e) {
            closeUnused();
            throw e;
        }
        pd = chosen;
        return created;
    }

    private void check(String name, @Nullable CompletionQueue own, @Nullable CompletionQueue asked) {
        if (own != null && asked != null && !own.equals(asked)) {
            throw IdErrors.invalid(id + " has another " + name + " completion queue: " + own);
        }
    }

    /** The attributes with the queues and the domain that the program has left out. */
    private QpInitAttributes complete(QpInitAttributes attributes) {
        QpType type = attributes.type();
        QpCapabilities sizes = attributes.capabilities();
        boolean sends = type != QpType.XRC_TGT && attributes.sendCq() == null;
        boolean receives = type.hasReceiveQueue() && attributes.receiveCq() == null;
        if (sends && sendCq == null) {
            sendCq = createCq(sizes.maxSendWr());
        }
        if (receives && receiveCq == null) {
            receiveCq = createCq(sizes.maxReceiveWr());
        }
        QpInitAttributes.Builder completed = attributes.toBuilder(
                sends ? sendCq : attributes.sendCq(), receives ? receiveCq : attributes.receiveCq());
        if (type.hasReceiveQueue() && attributes.srq() == null) {
            completed.srq(srq);
        }
        if (type == QpType.XRC_TGT && attributes.xrcDomain() == null) {
            completed.xrcDomain(share().xrcDomain());
        }
        return completed.build();
    }

    private CompletionQueue createCq(int entries) {
        CompletionChannel channel = context().createCompletionChannel();
        try {
            return context().createCq(Math.max(entries, 1), channel);
        } catch (RdmaException e) {
            channel.close();
            throw e;
        }
    }

    private SharedReceiveQueue create(@Nullable ProtectionDomain asked, SrqAttributes sizes) {
        if (srq != null) {
            throw IdErrors.invalid(id + " has " + srq + " already");
        }
        ProtectionDomain chosen = domain(asked);
        SharedReceiveQueue created;
        try {
            created = chosen.createSrq(srqAttributes(sizes));
        } catch (RdmaException e) {
            closeUnused();
            throw e;
        }
        pd = chosen;
        srq = created;
        return created;
    }

    private SrqInitAttributes srqAttributes(SrqAttributes sizes) {
        if (id.qpType() != QpType.XRC_TGT) {
            return SrqInitAttributes.basic(sizes, null, null);
        }
        CompletionQueue cq = receiveCq;
        if (cq == null) {
            cq = createCq(sizes.maxWr());
            receiveCq = cq;
        }
        return SrqInitAttributes.xrc(sizes, share().xrcDomain(), cq);
    }

    /** Closes the completion queues that neither a queue pair nor a shared receive queue uses. */
    void closeUnused() {
        if (id.qp == null) {
            sendCq = closed(sendCq);
            if (srq == null) {
                receiveCq = closed(receiveCq);
            }
        }
    }

    private static @Nullable CompletionQueue closed(@Nullable CompletionQueue cq) {
        if (cq != null) {
            CompletionChannel channel = cq.channel();
            cq.close();
            if (channel != null) {
                channel.close();
            }
        }
        return null;
    }

    /** The id is destroyed, its queue pair is closed. */
    void close() {
        destroySrq();
        closeUnused();
        if (share != null) {
            share.close();
            share = null;
        }
    }
}
