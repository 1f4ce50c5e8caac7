package io.rdma4j.rxe;

import io.rdma4j.net.NetDevice;
import io.rdma4j.testing.conformance.Capability;
import io.rdma4j.testing.conformance.ConformanceTarget;
import io.rdma4j.testing.conformance.Endpoint;
import io.rdma4j.testing.conformance.EndpointSetup;
import io.rdma4j.testing.conformance.LinkSetup;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Two devices with sockets of their own and a connection between them, open to a look inside; one side can die. */
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

    /** @param address number of the first address; the second one follows */
    UdpPair(int address, RxeOptions options, EndpointSetup setup, LinkSetup link) {
        first = new Side(address, options);
        second = new Side(address + 1, options);
        a = new Endpoint(this, first.context, setup);
        b = new Endpoint(this, second.context, setup);
        a.connectTo(b, link);
        b.connectTo(a, link);
    }

    private static final class Side implements AutoCloseable {
        final Host host = Host.create("test");
        final RxeDevice device;
        final Context context;

        Side(int number, RxeOptions options) {
            RxeProvider provider = new RxeProvider(List.of(TestAddresses.device(number)), options);
            host.register(provider);
            device = (RxeDevice) provider.discover(host).iterator().next();
            context = host.open("rxe0");
        }

        @Override
        public void close() {
            context.close();
            host.close();
        }
    }

    /** The second side goes away with its socket, as when its process is killed: it says no word. */
    void killSecond() {
        b.close();
        second.close();
    }

    /** The first side ends in good order, as a process does. */
    void endFirst() {
        a.close();
        first.close();
    }

    /** The device of the first side is deleted while it is in use. */
    void deleteFirst() {
        first.host.deleteLink("rxe0");
    }

    /** Packets that the first and the second device have dropped on arrival. */
    long dropped() {
        return port(first).inputCounters().dropped()
                + port(second).inputCounters().dropped();
    }

    /** What the driver of the first side ({@code ethtool -S}) has counted. */
    long firstCounted(String name) {
        return Objects.requireNonNull(
                port(first).device().ethtool().statistics().get(name));
    }

    /** The same of the second side. */
    long secondCounted(String name) {
        return Objects.requireNonNull(
                port(second).device().ethtool().statistics().get(name));
    }

    /** True if the second side has mapped a ring that the first side has a way to, and takes notes there. */
    boolean firstReachesSecond() {
        NetDevice to = port(second).device();
        return port(first)
                        .netLoop()
                        .exclusively(() -> port(first)
                                .device()
                                .driver()
                                .ops()
                                .noteWay(
                                        port(first).device().addresses().getFirst(),
                                        to.addresses().getFirst(),
                                        to.driver().udpSourcePort()))
                != null;
    }

    /** The longest train that the first side's driver is given. */
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
