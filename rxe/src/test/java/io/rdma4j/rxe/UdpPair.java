// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.net.NetDevice;
import io.rdma4j.shm.ShmDriver;
import io.rdma4j.shm.ShmTransport;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.testing.endpoint.Endpoint;
import io.rdma4j.testing.endpoint.EndpointSetup;
import io.rdma4j.testing.endpoint.LinkSetup;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Two devices with separate sockets and a connection between them. The test can read their internals and end one side.
 */
final class UdpPair implements ConformanceTarget {
    static final int FIRST = 31;
    static final int SECOND = 32;

    final Endpoint a;
    final Endpoint b;

    private final Side first;
    private final Side second;

    UdpPair(EndpointSetup setup, LinkSetup link) {
        this(RxeOptions.DEFAULT.withSharedMemory(false), setup, link);
    }

    UdpPair(RxeOptions options, EndpointSetup setup, LinkSetup link) {
        this(FIRST, options, setup, link);
    }

    /** @param address number of the first address; the second device uses the next one */
    UdpPair(int address, RxeOptions options, EndpointSetup setup, LinkSetup link) {
        this(address, options, setup);
        connect(link);
    }

    private UdpPair(int address, RxeOptions options, EndpointSetup setup) {
        first = new Side(address, options);
        second = new Side(address + 1, options);
        a = new Endpoint(this, first.context, setup);
        b = new Endpoint(this, second.context, setup);
    }

    private void connect(LinkSetup link) {
        a.connectTo(b, link);
        b.connectTo(a, link);
    }

    /** Both sides connect before the loop of the second one runs: each side makes a local channel. */
    static UdpPair connectedAtOnce(int address, RxeOptions options, EndpointSetup setup, LinkSetup link) {
        UdpPair made = new UdpPair(address, options, setup);
        made.secondPort().netLoop().exclusively(() -> made.connect(link));
        return made;
    }

    private static final class Side implements AutoCloseable {
        final Host host = Host.create("test");
        final RxeDevice device;
        final Context context;

        Side(int number, RxeOptions options) {
            RxeProvider provider = new RxeProvider(List.of(TestAddresses.device(number)), options);
            host.register(provider);
            device = (RxeDevice) provider.discover().iterator().next();
            context = host.open("rxe0");
        }

        @Override
        public void close() {
            context.close();
            host.close();
        }
    }

    /** Ends the second side with its socket and without a message to the peer, as if its process was killed. */
    void killSecond() {
        b.close();
        second.close();
    }

    /** Closes the first side in order, as a process does at its end. */
    void endFirst() {
        a.close();
        first.close();
    }

    /** The device of the first side is deleted while it is in use. */
    void deleteFirst() {
        first.host.deleteLink("rxe0");
    }

    /** Packets that both devices have dropped on arrival. */
    long dropped() {
        return port(first).inputCounters().dropped()
                + port(second).inputCounters().dropped();
    }

    /** A counter of the first side's driver ({@code ethtool -S}). */
    long firstCounted(String name) {
        return Objects.requireNonNull(
                port(first).device().ethtool().statistics().get(name));
    }

    /** A counter of the second side's driver. */
    long secondCounted(String name) {
        return Objects.requireNonNull(
                port(second).device().ethtool().statistics().get(name));
    }

    /** Returns true if the first side has a local channel to the second side, which accepts links. */
    boolean firstReachesSecond() {
        NetDevice to = port(second).device();
        return port(first).netLoop().exclusively(() -> reaches(port(first).device(), to));
    }

    private static boolean reaches(NetDevice from, NetDevice to) {
        ShmTransport shared = ((ShmDriver) from.driver().ops()).sharedMemory();
        return shared != null
                && shared.channel(
                                from.addresses().getFirst(),
                                to.addresses().getFirst(),
                                to.driver().udpSourcePort())
                        != null;
    }

    /** Limits the trains of the first side's driver to {@code bytes}. */
    void limitTrains(int bytes) {
        port(first).device().features().gsoMaxSize(bytes);
    }

    RxePort firstPort() {
        return port(first);
    }

    RxePort secondPort() {
        return port(second);
    }

    private static RxePort port(Side side) {
        return Objects.requireNonNull(side.device.port());
    }

    @Override
    public Context first() {
        return first.context;
    }

    @Override
    public Context second() {
        return second.context;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.UNATTENDED_PROGRESS, Capability.CQ_RESIZE);
    }

    @Override
    public void close() {
        a.close();
        first.close();
        killSecond();
    }
}
