package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.spi.ContextOps;
import io.rdma4j.verbs.spi.DeviceOps;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A device: its queue pairs by number, its keys, and the progress of all of them on whichever thread rings a doorbell. */
public final class LoopDevice implements DeviceOps {
    private final String name;
    private final Map<Integer, LoopQp> qps = new LinkedHashMap<>();
    private final Map<Integer, LoopMr> mrs = new LinkedHashMap<>();
    private final AtomicInteger sleepers = new AtomicInteger();
    private ContextEvents events;
    private int lastQpn = 0x10;
    private int lastKey = 0x100;

    LoopDevice(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return 0x0200_00ff_fe00_0001L;
    }

    @Override
    public ContextOps open(ContextEvents contextEvents) {
        this.events = contextEvents;
        return new LoopContext(this);
    }

    /** For tests: where the last opened context wants to be told of events. */
    public ContextEvents events() {
        return events;
    }

    /** For tests: how often a thread announced that it goes to sleep. */
    public int sleepers() {
        return sleepers.get();
    }

    void beforeBlocking() {
        sleepers.incrementAndGet();
    }

    synchronized int add(LoopQp qp) {
        qps.put(++lastQpn, qp);
        return lastQpn;
    }

    synchronized void remove(LoopQp qp) {
        qps.remove(qp.qpn());
    }

    synchronized int add(LoopMr mr) {
        mrs.put(++lastKey, mr);
        return lastKey;
    }

    synchronized void remove(LoopMr mr) {
        mrs.remove(mr.lkey());
    }

    /** For tests that play the device. */
    public LoopQp qp(int qpn) {
        return Objects.requireNonNull(find(qpn));
    }

    LoopQp find(int qpn) {
        return qps.get(qpn);
    }

    LoopMr mr(int lkey) {
        return mrs.get(lkey);
    }

    /** Lets every queue pair do what it can. */
    synchronized void progress() {
        for (LoopQp qp : qps.values()) {
            qp.run();
        }
    }
}
