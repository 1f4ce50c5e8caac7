// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.SrqInitAttributes;
import io.rdma4j.verbs.XrcDomain;
import io.rdma4j.verbs.values.SrqAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of a host, with a separate protection domain. Closed after the queue pairs that use it. */
public final class SharedQueue implements AutoCloseable {
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
        // The actual capacity of a ring may be almost twice the requested one.
        CompletionQueue completions = domain == null ? null : host.context().createCq(2 * sizes.maxWr() + 2);
        cq = completions;
        srq = pd.createSrq(
                domain == null || completions == null
                        ? SrqInitAttributes.basic(sizes, null, null)
                        : SrqInitAttributes.xrc(sizes, domain, completions));
    }

    public static SharedQueue basic(SimHost host, SrqAttributes sizes) {
        return new SharedQueue(host, sizes, null, null);
    }

    /** Creates a queue in a new XRC domain. */
    public static SharedQueue xrc(SimHost host, SrqAttributes sizes) {
        XrcDomain domain = host.context().openXrcDomain();
        return new SharedQueue(host, sizes, domain, domain);
    }

    /** Creates another queue in the same XRC domain; closed before this one. */
    public SharedQueue sibling(SrqAttributes sizes) {
        return new SharedQueue(host, sizes, Objects.requireNonNull(domain, "XRC only"), null);
    }

    public SimHost host() {
        return host;
    }

    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /** The XRC domain; null for a basic queue. */
    @Nullable
    public XrcDomain xrcDomain() {
        return domain;
    }

    /** Completion queue of its receives; null for a basic queue. */
    @Nullable
    public CompletionQueue xrcCq() {
        return cq;
    }

    public SharedReceiveQueue srq() {
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
