package io.rdma4j.testing.sim;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqAttributes;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of a host, with a protection domain of its own. Closed after the queue pairs that use it. */
final class SharedQueue implements AutoCloseable {
    private final SimHost host;
    private final ProtectionDomain pd;
    private final @Nullable XrcDomain domain;
    private final @Nullable CompletionQueue cq;
    private final SharedReceiveQueue srq;

    private SharedQueue(SimHost host, SrqAttributes sizes, boolean isXrc) {
        this.host = host;
        pd = host.context().allocatePd();
        if (isXrc) {
            XrcDomain ownDomain = host.context().openXrcDomain();
            // A ring may come out almost twice as long as asked for.
            CompletionQueue ownCq = host.context().createCq(2 * sizes.maxWr() + 2);
            domain = ownDomain;
            cq = ownCq;
            srq = pd.createSrq(SrqInitAttributes.xrc(sizes, ownDomain, ownCq));
        } else {
            domain = null;
            cq = null;
            srq = pd.createSrq(SrqInitAttributes.basic(sizes, null, null));
        }
    }

    static SharedQueue basic(SimHost host, SrqAttributes sizes) {
        return new SharedQueue(host, sizes, false);
    }

    static SharedQueue xrc(SimHost host, SrqAttributes sizes) {
        return new SharedQueue(host, sizes, true);
    }

    SimHost host() {
        return host;
    }

    ProtectionDomain protectionDomain() {
        return pd;
    }

    /** Null for an ordinary one. */
    @Nullable
    XrcDomain xrcDomain() {
        return domain;
    }

    /** Where its receives complete; null for an ordinary one. */
    @Nullable
    CompletionQueue xrcCq() {
        return cq;
    }

    SharedReceiveQueue srq() {
        return srq;
    }

    @Override
    public void close() {
        srq.close();
        if (cq != null) {
            cq.close();
        }
        if (domain != null) {
            domain.close();
        }
        pd.close();
    }
}
