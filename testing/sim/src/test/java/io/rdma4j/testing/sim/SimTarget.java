// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.Simulation;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import java.util.EnumSet;
import java.util.Set;

/** Two simulated hosts for the conformance kit; virtual time advances while a case waits. */
final class SimTarget implements ConformanceTarget {
    private static final int FIRST_ADDRESS = 0x0A00_0001;
    private static final int HEADER_ROOM = 128;

    /** Longer than any wait of a case. */
    private static final long LIMIT_NS = 10_000_000_000L;

    private final Simulation simulation;
    private final SimHost first;
    private final SimHost second;

    SimTarget(LinkProfile profile, TransportOptions options) {
        simulation = new Simulation(1, profile);
        first = host(FIRST_ADDRESS, options);
        second = host(FIRST_ADDRESS + 1, options);
    }

    private SimHost host(int address, TransportOptions options) {
        return simulation.addHost(Gid.ofIpv4(address), Mtu.MTU_4096.bytes() + HEADER_ROOM, options);
    }

    @Override
    public Context first() {
        return first.context();
    }

    @Override
    public Context second() {
        return second.context();
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.complementOf(EnumSet.of(Capability.UNATTENDED_PROGRESS, Capability.RAW_FRAMES));
    }

    /** Advances the time to the next event. */
    @Override
    public void progress() {
        long nowNs = simulation.clock().nanoTime();
        simulation.run(() -> simulation.clock().nanoTime() != nowNs, LIMIT_NS);
    }

    @Override
    public void close() {
        simulation.close();
    }
}
