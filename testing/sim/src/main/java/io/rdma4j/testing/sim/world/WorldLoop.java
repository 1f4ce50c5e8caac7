// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.loop.NetLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The event loop of a host, or of a machine between the hosts, and the applications that its events concern. */
final class WorldLoop {
    private final NetLoop loop;
    private final @Nullable SimHost host;
    private final List<Integer> actors = new ArrayList<>();
    private final Agenda agenda;
    private final int part;
    private long sent;

    /** Adds a part to {@code agenda}. */
    WorldLoop(NetLoop loop, @Nullable SimHost host, Agenda agenda) {
        this.loop = loop;
        this.host = host;
        this.agenda = agenda;
        this.part = agenda.add();
    }

    /** The loop has new work. */
    void wake() {
        agenda.wake(part);
    }

    NetLoop loop() {
        return loop;
    }

    /** Null for a machine between the hosts. */
    @Nullable
    SimHost host() {
        return host;
    }

    /** Parts of the applications that act at the events of this loop. */
    List<Integer> actors() {
        return actors;
    }

    /** Number of packets that the host has sent since the last call. */
    long newlySent() {
        if (host == null) {
            return 0;
        }
        long before = sent;
        sent = host.port().counters().sentPackets;
        return sent - before;
    }
}
