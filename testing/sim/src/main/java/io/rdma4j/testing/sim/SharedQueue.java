package io.rdma4j.testing.sim;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqAttributes;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of a host, with a protection domain of its own. Closed after the queue pairs that use it. */
final class SharedQueue implements AutoCloseable {
    private final SimHost host;
    private final ProtectionDomain pd;
    private final @Nullable XrcDomain domain;
    private final @Nullable CompletionQueue cq;
    private final SharedReceiveQueue srq;

    private final @Nullable AutoCloseable ownDomain;

    private SharedQueue(
            SimHost host, SrqAttributes sizes, @Nullable XrcDomain domain, @Nullable AutoCloseable ownDomain) {
        this.host = host;
        this.domain = domain;
        this.ownDomain = ownDomain;
        pd = host.context().allocatePd();
        // A ring may come out almost twice as long as asked for.
        CompletionQueue completions = domain == null ? null : host.context().createCq(2 * sizes.maxWr() + 2);
        cq = completions;
        srq = pd.createSrq(
                domain == null || completions == null
                        ? SrqInitAttributes.basic(sizes, null, null)
                        : SrqInitAttributes.xrc(sizes, domain, completions));
    }

    static SharedQueue basic(SimHost host, SrqAttributes sizes) {
        return new SharedQueue(host, sizes, null, null);
    }

    /** In an XRC domain of its own. */
    static SharedQueue xrc(SimHost host, SrqAttributes sizes) {
        XrcDomain domain = host.context().openXrcDomain();
        return new SharedQueue(host, sizes, domain, domain);
    }

    /** Another one in the same XRC domain; closed before this one. */
    SharedQueue sibling(SrqAttributes sizes) {
        return new SharedQueue(host, sizes, Objects.requireNonNull(domain, "XRC only"), null);
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
        pd.close();
        if (ownDomain != null) {
            Closing.close(ownDomain);
        }
    }
}
