package io.rdma4j.rxe;

import io.rdma4j.transport.port.SharedReceiveState;
import io.rdma4j.verbs.spi.SrqEvents;
import io.rdma4j.verbs.spi.SrqOps;
import io.rdma4j.verbs.spi.SrqSetup;
import io.rdma4j.verbs.spi.ring.SharedReceiveRing;
import io.rdma4j.verbs.values.SrqAttributes;
import io.rdma4j.verbs.wr.ReceiveBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A shared receive queue of the device. Corresponds to {@code rxe_srq}. */
final class RxeSrq implements SrqOps {
    private final int number;
    private final RxePort port;
    private final @Nullable RxeXrcd domain;
    private final SharedReceiveRing ring;
    private final SharedReceiveState receives;

    /** @param domain the XRC domain, in which requests complete to {@code xrcCq}; null for an ordinary queue */
    RxeSrq(
            int number,
            RxePort port,
            RxePd pd,
            SrqSetup asked,
            @Nullable RxeXrcd domain,
            @Nullable RxeCq xrcCq,
            SrqEvents events) {
        this.number = number;
        this.port = port;
        this.domain = domain;
        SrqAttributes sizes = asked.attributes();
        SegmentAllocator memory = Objects.requireNonNullElseGet(asked.queueMemory(), Arena::ofAuto);
        this.ring = new SharedReceiveRing(sizes.maxWr(), sizes.maxSge(), sizes.limit(), memory, events::event);
        this.receives =
                xrcCq == null ? new SharedReceiveState(ring, pd) : new SharedReceiveState(ring, pd, xrcCq.ring());
    }

    SharedReceiveState receives() {
        return receives;
    }

    /** The XRC domain; null for an ordinary queue. */
    @Nullable
    RxeXrcd domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public SrqAttributes query() {
        return port.netLoop().exclusively(ring::attributes);
    }

    @Override
    public void armLimit(int limit) {
        ring.arm(limit);
    }

    @Override
    public void resize(int maxWr) {
        port.netLoop().exclusively(() -> ring.resize(maxWr));
    }

    @Override
    public ReceiveBatch startReceive() {
        return ring.startReceive();
    }

    @Override
    public void close() {
        port.netLoop().exclusively(() -> port.sharedReceiveQueues().remove(number));
    }
}
