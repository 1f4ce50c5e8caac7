// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Gid;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.LinkStats;
import io.rdma4j.transport.port.TransportOptions;
import java.util.List;

/** Hosts with one network device each, and a {@link SimNetwork} that links each with all others. One thread. */
public final class Simulation extends World {
    private final SimNetwork network;
    private final Cell cell;

    /** @param profile of all links; {@link SimLink#profile} changes a single one */
    public Simulation(long seed, LinkProfile profile) {
        this(seed, profile, 0);
    }

    /** @param originNs initial value of the clock */
    public Simulation(long seed, LinkProfile profile, long originNs) {
        super(originNs);
        EventTrace trace = new EventTrace(clock());
        network = new SimNetwork(clock(), trace, profile, seed);
        cell = addCell(clock(), trace, network);
    }

    /** The network between the hosts. */
    public SimNetwork network() {
        return network;
    }

    /**
     * Adds a host.
     *
     * @param mtuBytes largest IP packet that its device sends, up to 4224
     */
    public SimHost addHost(Gid address, int mtuBytes, TransportOptions options) {
        return addHost(List.of(address), mtuBytes, options);
    }

    /** Adds a host with several addresses, which form its GID table. */
    public SimHost addHost(List<Gid> addresses, int mtuBytes, TransportOptions options) {
        SimLinkDevice card = network.attach(mtuBytes, addresses);
        SimHost host = SimHost.withCard(card, clock(), options);
        card.onArrival(add(host, cell)::wake);
        return host;
    }

    /** The events of all applications and packets. */
    public EventTrace trace() {
        return cell.trace();
    }

    @Override
    LinkStats linkStats() {
        return network.stats();
    }

    @Override
    int buffersUnderWay() {
        return network.buffersInUse();
    }

    @Override
    public void close() {
        super.close();
        network.close();
    }
}
