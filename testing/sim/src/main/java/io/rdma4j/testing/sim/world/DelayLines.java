// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.links.DelayLine;
import java.util.ArrayList;
import java.util.List;

/** The links by which packets arrive at the machines of a cell from other cells. */
final class DelayLines implements Arrivals {
    private final NanoClock clock;
    private final List<DelayLine> links = new ArrayList<>();

    /** Times of the first collected packets, by index of the link. */
    private final Agenda agenda = new Agenda();

    /** @param clock of the cell */
    DelayLines(NanoClock clock) {
        this.clock = clock;
    }

    void add(DelayLine link) {
        agenda.add();
        links.add(link);
    }

    /** Takes over the packets that arrive before a time. No cell runs meanwhile. */
    void collect(long endNs) {
        for (int i = 0; i < links.size(); i++) {
            DelayLine link = links.get(i);
            link.collect(endNs);
            agenda.schedule(i, link.firstArrivalNs());
        }
    }

    /** Time of the first packet that is not collected, or {@link Deadline#NEVER}. */
    long firstSentNs() {
        long firstNs = Deadline.NEVER;
        for (DelayLine link : links) {
            firstNs = Deadline.earlier(firstNs, link.firstSentNs());
        }
        return firstNs;
    }

    @Override
    public boolean deliver() {
        long nowNs = clock.nanoTime();
        agenda.wakeUntil(nowNs);
        int first = agenda.nextDue(0);
        for (int i = first; i >= 0; i = agenda.nextDue(i + 1)) {
            DelayLine link = links.get(i);
            link.deliver(nowNs);
            agenda.beginTurn(i);
            agenda.endTurn(i, link.firstArrivalNs());
        }
        return first >= 0;
    }

    @Override
    public long nextArrivalNs() {
        return agenda.nextNs();
    }
}
