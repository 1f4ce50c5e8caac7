// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.dropin;

import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A queue pair with what posting to it needs at each request. */
final class PostingQp implements AutoCloseable {
    private final QueuePair qp;
    private final boolean hasDestinations;
    private final boolean isXrc;
    private final Arena arena = Arena.ofShared();

    /** Collects inline data of several elements; the thread that posts owns it while it has the batch. */
    private final MemorySegment staging;

    /** The protection domain that exists for this queue pair only, or null. */
    private final @Nullable ProtectionDomain ownPd;

    PostingQp(QueuePair qp) {
        this(qp, null);
    }

    /** @param ownPd closed with the queue pair; programs create XRC targets without a protection domain */
    PostingQp(QueuePair qp, @Nullable ProtectionDomain ownPd) {
        this.qp = qp;
        this.ownPd = ownPd;
        QpType type = qp.initAttributes().type();
        this.hasDestinations = type == QpType.UD || type == QpType.GSI;
        this.isXrc = type == QpType.XRC_INI;
        this.staging =
                arena.allocate(Math.max(1, qp.initAttributes().capabilities().maxInlineData()));
    }

    QueuePair qp() {
        return qp;
    }

    /** True if each request names its destination. */
    boolean hasDestinations() {
        return hasDestinations;
    }

    /** True if each request names the peer's shared receive queue. */
    boolean isXrc() {
        return isXrc;
    }

    MemorySegment staging() {
        return staging;
    }

    @Override
    public void close() {
        qp.close();
        if (ownPd != null) {
            ownPd.close();
        }
        arena.close();
    }
}
