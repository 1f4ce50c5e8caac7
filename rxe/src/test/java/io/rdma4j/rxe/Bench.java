// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.Mtu;
import io.rdma4j.hca.qp.HcaQp;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.testing.endpoint.Transitions;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A device over a {@link StubLink}. The test controls its clock and, in manual mode, its progress. */
final class Bench implements ConformanceTarget {
    static final Gid LOCAL_V4 = Gid.parse("::ffff:10.1.0.1");
    static final Gid PEER_V4 = Gid.parse("::ffff:10.1.0.2");
    static final Gid LOCAL_V6 = Gid.parse("fd00::1:1");
    static final Gid PEER_V6 = Gid.parse("fd00::1:2");
    static final int PEER_QPN = 0x5A5A5A;
    static final int FIRST_PSN = 0x123456;
    static final Set<PrivateFlag> TAKES_TRAINS = Set.of(PrivateFlag.CARRIES_OFFLOADS);
    private static final FeatureSet FEATURES =
            FeatureSet.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.HW_CSUM);

    private static final int MTU = 4500;
    private static final int IFINDEX = 3;
    private static final EndpointSetup SMALL = EndpointSetup.DEFAULT.memoryBytes(1 << 17);

    final StubLink link = new StubLink();
    final NetDevice network;
    final RxePort port;
    final Context context;

    /** Time of the device's clock in ns. */
    long now = 1_000_000;

    private final Host host;
    private final List<Endpoint> endpoints = new ArrayList<>();

    /** A device that makes progress only in {@link #run}. */
    Bench(Set<PrivateFlag> driver) {
        this(driver, ProgressMode.MANUAL);
    }

    Bench(Set<PrivateFlag> driver, ProgressMode mode) {
        this(driver, mode, UnaryOperator.identity());
    }

    /** A device that makes progress only in {@link #run}, over an interface with several queues. */
    Bench(int queues) {
        this(Set.of(), ProgressMode.MANUAL, UnaryOperator.identity(), queues);
    }

    /** A device with options that {@code changes} makes from the defaults. */
    Bench(Set<PrivateFlag> driver, ProgressMode mode, UnaryOperator<RxeOptions> changes) {
        this(driver, mode, changes, 1);
    }

    private Bench(Set<PrivateFlag> driver, ProgressMode mode, UnaryOperator<RxeOptions> changes, int queues) {
        NetDeviceSetup setup = new NetDeviceSetup(
                        "stub0",
                        IFINDEX,
                        MTU,
                        0,
                        List.of(LOCAL_V4, LOCAL_V6),
                        driver.equals(TAKES_TRAINS) ? FEATURES : FeatureSet.NONE)
                .withPrivateFlags(driver.toArray(PrivateFlag[]::new))
                .withQueues(queues, 1);
        network = NetHost.standalone(new NetDevice(setup, link));
        network.up();
        RxeOptions options = new RxeOptions(() -> now, mode, TransportOptions.DEFAULT, RxeOptions.ROCE_V2_PORT);
        port = new RxePort(network, changes.apply(options));
        host = OneDevice.host(new RxeDevice("rxe0", Guid.ofMac(0x0200_0000_0001L), () -> port));
        context = host.open("rxe0");
    }

    /** A queue pair in RESET. */
    Endpoint endpoint() {
        return endpoint(SMALL);
    }

    /** A queue pair in RESET, created according to {@code setup}. */
    Endpoint endpoint(EndpointSetup setup) {
        Endpoint endpoint = new Endpoint(this, context, setup);
        endpoints.add(endpoint);
        return endpoint;
    }

    /** A queue pair in RTS whose peer is {@link #PEER_QPN} at {@code peer}; MTU 1024, timeout code {@code timeout}. */
    Endpoint connected(Gid peer, int timeout) {
        Endpoint endpoint = endpoint();
        connect(endpoint.qp, new GlobalRoute(peer, 0, peer.isIpv4() ? 0 : 1, 64, 0), timeout);
        return endpoint;
    }

    static void connect(QueuePair qp, GlobalRoute route, int timeout) {
        LinkSetup link = new LinkSetup(Mtu.MTU_1024, FIRST_PSN, timeout, 7, 7, 12, 1);
        Transitions.connect(qp, Set.of(), link, PEER_QPN, AddressVector.global(1, route));
    }

    /** The device's object of a queue pair. */
    HcaQp rxeQp(Endpoint endpoint) {
        return Objects.requireNonNull(port.services().common().queuePairs().find(endpoint.qp.qpn()));
    }

    /** Runs the device until nothing is due. */
    void run() {
        int steps = 0;
        while (port.progress(now) && steps < 1000) {
            steps++;
        }
    }

    @Override
    public Context first() {
        return context;
    }

    @Override
    public Context second() {
        return context;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.SELF_TALK, Capability.CQ_RESIZE);
    }

    @Override
    public void progress() {
        now += 1000;
        run();
    }

    @Override
    public void close() {
        endpoints.forEach(Endpoint::close);
        context.close();
        host.close();
    }
}
