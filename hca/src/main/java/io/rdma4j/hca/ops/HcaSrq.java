// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.ops;

import io.rdma4j.hca.NumberTable;
import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.PdOps;
import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.SrqSetup;
import io.rdma4j.verbs.spi.XrcdOps;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of the device. Corresponds to {@code rxe_srq}. */
final class HcaSrq implements SrqOps {
    private final int number;
    private final NumberTable<HcaSrq> table;
    private final @Nullable XrcdOps domain;
    private final SharedReceiveRing ring;
    private final SharedReceiveState receives;

    /**
     * @param domain the XRC domain, in which requests complete to {@code xrcCompletions}; null for an ordinary queue
     */
    HcaSrq(
            int number,
            NumberTable<HcaSrq> table,
            PdOps pd,
            SrqSetup asked,
            @Nullable XrcdOps domain,
            @Nullable CompletionRing xrcCompletions,
            SrqEvents events) {
        this.number = number;
        this.table = table;
        this.domain = domain;
        SrqAttributes sizes = asked.attributes();
        this.ring =
                new SharedReceiveRing(sizes.maxWr(), sizes.maxSge(), sizes.limit(), asked.queueMemory(), events::event);
        this.receives = xrcCompletions == null
                ? new SharedReceiveState(ring, pd)
                : new SharedReceiveState(ring, pd, xrcCompletions);
    }

    SharedReceiveState receives() {
        return receives;
    }

    /** The XRC domain; null for an ordinary queue. */
    @Nullable
    XrcdOps domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public SrqAttributes query() {
        return table.lock().exclusively(ring::attributes);
    }

    @Override
    public void armLimit(int limit) {
        ring.arm(limit);
    }

    @Override
    public void resize(int maxWr) {
        table.lock().exclusively(() -> ring.resize(maxWr));
    }

    @Override
    public ReceiveBatch startReceive() {
        return ring.startReceive();
    }

    @Override
    public void close() {
        table.remove(number);
    }
}
