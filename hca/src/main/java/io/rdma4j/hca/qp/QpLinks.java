// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca.qp;

import io.rdma4j.hca.PortStateMachine;
import io.rdma4j.hca.carrier.CarrierHeaders;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.transport.QpEngine;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The links of a port. For the owner of the port loop, unless a method names another thread.
 *
 * <p>A link depends on the attributes of both queue pairs, on the addresses and on the partitions of the port. A change
 * of one of them dissolves it; the next turn of one of the queue pairs makes another one if that is allowed then.
 */
public final class QpLinks {
    private final NetLoop loop;
    private final CarrierHeaders headers;
    private final PortStateMachine states;
    private final TransportCounters counters;

    /** False if the port places packets out of order or controls congestion; both need packets. */
    private final boolean areAllowed;

    /** Each link knows its place. */
    private final List<QpLink> all = new ArrayList<>();

    /** True if {@link #all} has elements; for threads that do not own the loop. */
    private volatile boolean exist;

    public QpLinks(NetLoop loop, CarrierHeaders headers, PortStateMachine states, TransportContext context) {
        this.loop = loop;
        this.headers = headers;
        this.states = states;
        this.counters = context.counters();
        TransportOptions options = context.options();
        this.areAllowed = !options.placesOutOfOrder() && options.congestionControl() == null;
    }

    /** Returns true if the port sends and receives now. Any thread. */
    boolean areOpen() {
        return states.sends() && states.receives() && !states.failure().isThere();
    }

    /** Returns true if posting threads may deliver. Any thread. */
    boolean areForPosters() {
        return loop.isAutomatic() && areOpen();
    }

    /** Returns the time of this run of the loop, ns. For the owner of the loop. */
    long nowNs() {
        return loop.nowNs();
    }

    /** Notes that a posting thread has delivered messages. */
    void noteDelivery() {
        loop.noteWork();
    }

    /** Returns true if a path leads to this port, so that the queue pairs at its ends may have a link. */
    boolean mayJoin(CarrierPath path) {
        return areAllowed && headers.leadsHere(path);
    }

    /** Makes a link between the engines of two queue pairs that are connected to each other. */
    QpLink join(QpEngine first, QpEngine second) {
        QpLink link = new PairLink(this, first, second);
        add(link);
        return link;
    }

    void add(QpLink link) {
        link.place = all.size();
        all.add(link);
        exist = true;
    }

    /** Dissolves a link, if there is one: posting threads set doorbells from now on. */
    void dissolve(@Nullable QpLink link) {
        if (link == null) {
            return;
        }
        boolean taken = link.hold();
        link.dissolve();
        count(link);
        remove(link);
        exist = !all.isEmpty();
        if (taken) {
            link.release();
        }
        link.raiseEvents();
    }

    /** Removes a link, unless that was done before; the last link takes its place. */
    @SuppressWarnings("ReferenceEquality") // one object per link
    private void remove(QpLink link) {
        int place = link.place;
        if (place < all.size() && all.get(place) == link) {
            QpLink last = all.removeLast();
            if (last != link) {
                all.set(place, last);
                last.place = place;
            }
        }
    }

    /** Dissolves all links, because addresses or partitions have changed. Any thread. */
    public void dissolveAll() {
        loop.exclusively(() -> List.copyOf(all).forEach(this::dissolve));
    }

    /**
     * Waits until no posting thread delivers, and no peer stores. Messages that are delivered or stored later find what
     * the caller has changed before the call.
     */
    public void quiesce() {
        for (QpLink link : List.copyOf(all)) {
            boolean taken = link.hold();
            boolean isQuiet = link.awaitStores();
            if (taken) {
                link.release();
            }
            if (!isQuiet) {
                dissolve(link);
            }
        }
    }

    /**
     * Adds the counts of all links to the counters of the port; gives the loop no work if there are none. Any thread.
     */
    public void settle() {
        if (exist) {
            loop.exclusively(() -> all.forEach(this::settle));
        }
    }

    /** Adds the counts of a link to the counters of the port; the lock of the link is held. */
    void count(QpLink link) {
        link.moveCounts(counters);
    }

    private void settle(QpLink link) {
        boolean taken = link.hold();
        count(link);
        if (taken) {
            link.release();
        }
    }
}
