// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testkit;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.testing.sim.world.Actor;
import io.rdma4j.testing.sim.world.RunEnd;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.TopologyWorld;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import java.util.List;

/** Machines in virtual time: the thread of the test drives them, and time advances from event to event. */
final class VirtualWorld implements FabricWorld {
    private final TopologyWorld world;
    private final Alarm alarm = new Alarm();

    VirtualWorld(Topology topology, long seed) {
        world = new TopologyWorld("topology", topology, TransportOptions.DEFAULT, seed);
        world.addActor(alarm);
    }

    /** An event at a given time. */
    private static final class Alarm implements Actor {
        long timeNs = Deadline.NEVER;

        @Override
        public boolean act(long nowNs) {
            if (Deadline.isDue(timeNs, nowNs)) {
                timeNs = Deadline.NEVER;
            }
            return false;
        }

        @Override
        public long nextActionNs() {
            return timeNs;
        }
    }

    @Override
    public Network network() {
        return world.network();
    }

    @Override
    public List<Context> contexts() {
        return world.hosts().stream().map(SimHost::context).toList();
    }

    @Override
    public NanoClock clock() {
        return world.clock();
    }

    @Override
    public boolean step(long endNs) {
        long nowNs = clock().nanoTime();
        return world.run(() -> clock().nanoTime() != nowNs, endNs - nowNs) == RunEnd.FINISHED;
    }

    @Override
    public void pass(long durationNs) {
        long endNs = clock().nanoTime() + durationNs;
        alarm.timeNs = endNs;
        world.run(() -> clock().nanoTime() - endNs >= 0, durationNs);
    }

    @Override
    public void close() {
        world.close();
    }
}
