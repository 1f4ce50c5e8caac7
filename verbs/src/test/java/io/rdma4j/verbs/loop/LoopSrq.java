// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;

/** A shared receive ring; the device's lock replaces the port loop. */
public final class LoopSrq implements SrqOps {
    private final LoopDevice device;
    private final LoopXrcd domain;
    private final LoopCq cq;
    private final SrqEvents events;
    private final SharedReceiveRing ring;
    private final int number;

    /** @param domain and {@code cq} null unless it is an XRC queue */
    LoopSrq(LoopDevice device, SrqAttributes asked, LoopXrcd domain, LoopCq cq, SrqEvents events) {
        this.device = device;
        this.domain = domain;
        this.cq = cq;
        this.events = events;
        this.ring = new SharedReceiveRing(asked.maxWr(), asked.maxSge(), asked.limit(), events::event);
        this.number = device.add(this);
    }

    /** For tests: breaks the queue. */
    public void fail() {
        events.event(EventType.SRQ_ERR);
    }

    SharedReceiveRing ring() {
        return ring;
    }

    LoopXrcd domain() {
        return domain;
    }

    LoopCq cq() {
        return cq;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public SrqAttributes query() {
        synchronized (device) {
            return ring.attributes();
        }
    }

    @Override
    public void armLimit(int limit) {
        ring.arm(limit);
    }

    @Override
    public void resize(int maxWr) {
        synchronized (device) {
            ring.resize(maxWr);
        }
    }

    @Override
    public ReceiveBatch startReceive() {
        return ring.startReceive();
    }

    @Override
    public void close() {
        device.remove(this);
    }
}
