// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** The observers of a port. */
final class SnoopList {
    private static final int MAX_WAITING = 4096;

    private final HandlerQueue handlers;
    private final MadCounters counters;
    private final List<Observer> observers = new CopyOnWriteArrayList<>();

    /** Copies that observers have not seen yet. */
    private final AtomicInteger waiting = new AtomicInteger();

    SnoopList(HandlerQueue handlers, MadCounters counters) {
        this.handlers = handlers;
        this.counters = counters;
    }

    /** Registered possibly twice with equal arguments, so no record. */
    private static final class Observer {
        final Set<MadSnoopEvent> events;
        final MadSnooper snooper;

        Observer(Set<MadSnoopEvent> events, MadSnooper snooper) {
            this.events = Set.copyOf(events);
            this.snooper = snooper;
        }
    }

    MadSnoop add(Set<MadSnoopEvent> events, MadSnooper snooper) {
        Observer observer = new Observer(events, snooper);
        observers.add(observer);
        return new MadSnoop(() -> observers.remove(observer));
    }

    void saw(MadSnoopEvent event, MadAddress peer, MemorySegment datagram) {
        for (Observer observer : observers) {
            if (!observer.events.contains(event)) {
                continue;
            }
            if (waiting.get() == MAX_WAITING) {
                counters.count(MadCounter.SNOOPS_DROPPED);
                continue;
            }
            waiting.incrementAndGet();
            MemorySegment copy = MemorySegment.ofArray(datagram.toArray(ValueLayout.JAVA_BYTE));
            handlers.add(() -> {
                waiting.decrementAndGet();
                observer.snooper.saw(event, peer, copy);
            });
        }
    }
}
