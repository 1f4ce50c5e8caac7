// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Mtu;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.testing.sim.world.ConnectionSetup;
import io.rdma4j.testing.sim.world.RunEnd;
import io.rdma4j.testing.sim.world.SimEndpoint;
import io.rdma4j.testing.sim.world.SimHost;
import io.rdma4j.testing.sim.world.SimLink;
import io.rdma4j.testing.sim.world.Simulation;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.values.QpCapabilities;
import io.rdma4j.verbs.wr.SignalType;
import io.rdma4j.verbs.wr.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Two connected endpoints without applications: the first sends, the second receives. */
public final class Pair implements AutoCloseable {
    private static final int REGION_BYTES = 1 << 16;
    private static final long LIMIT_NS = TimeUnit.HOURS.toNanos(24);

    public final Simulation simulation = new Simulation(1, LinkProfile.PERFECT);
    final SimEndpoint sender;
    public final SimEndpoint receiver;
    private final List<WorkCompletion> unseen = new ArrayList<>();
    private final MemoryRegion source;
    private final MemoryRegion target;

    public Pair(ConnectionSetup connection) {
        this(connection, TransportOptions.DEFAULT);
    }

    public Pair(ConnectionSetup connection, TransportOptions options) {
        QpCapabilities capabilities = QpCapabilities.of(15, 15);
        sender = new SimEndpoint(host(1, options), capabilities, SignalType.ALL_WR, false);
        receiver = new SimEndpoint(host(2, options), capabilities, SignalType.ALL_WR, false);
        source = sender.register(REGION_BYTES);
        target = receiver.register(REGION_BYTES);
        sender.connect(receiver, connection);
        receiver.connect(sender, connection);
    }

    private SimHost host(int address, TransportOptions options) {
        List<Gid> addresses = List.of(Gid.ofIpv4(0x0A00_0000 | address), Gid.parse("fd00::" + address));
        return simulation.addHost(addresses, Mtu.MTU_4096.bytes() + 128, options);
    }

    /** Path MTU 1024, RNR timer code 12 (0.64 ms), both first PSNs 100. */
    public static ConnectionSetup connection(int timeout, int retryCount, int rnrRetry) {
        return new ConnectionSetup(Mtu.MTU_1024, timeout, retryCount, rnrRetry, 12, 100, 100);
    }

    /** The link of the requests. */
    SimLink there() {
        return simulation.network().link(0, 1);
    }

    /** The link of the responses. */
    SimLink back() {
        return simulation.network().link(1, 0);
    }

    public void postSend(long wrId, int bytes) {
        sender.qp()
                .startSend()
                .wrId(wrId)
                .send()
                .sge(source.lkey(), source.address(), bytes)
                .complete();
    }

    public void postReceive(long wrId) {
        receiver.qp()
                .startReceive()
                .receive(wrId)
                .sge(target.lkey(), target.address(), REGION_BYTES)
                .complete();
    }

    /** Runs until the sender has a completion, which is not polled; returns the elapsed time. */
    long runUntilSent() {
        BooleanSupplier polled = () -> {
            unseen.addAll(sender.sendCq().poll(100));
            return !unseen.isEmpty();
        };
        simulation.run(polled, LIMIT_NS);
        return simulation.clock().elapsedNs();
    }

    /** Runs until no event is left. */
    public RunEnd run() {
        return simulation.run(() -> false, LIMIT_NS);
    }

    /** Runs for {@code ns}. */
    public RunEnd runFor(long ns) {
        return simulation.run(() -> false, ns);
    }

    List<WorkCompletion> sent() {
        List<WorkCompletion> completions = new ArrayList<>(unseen);
        unseen.clear();
        completions.addAll(sender.sendCq().poll(100));
        return completions;
    }

    List<WorkCompletion> received() {
        return receiver.receiveCq().poll(100);
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
        simulation.close();
    }
}
