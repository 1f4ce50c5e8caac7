// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.Port;
import io.rdma4j.verbs.device.PortAttributes;
import io.rdma4j.verbs.values.EventType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A device over an interface with the addresses and queues of the test. The test determines when the machine processes
 * link events. Each time the device is opened, a new interface is created.
 */
final class PortBench implements AutoCloseable {
    static final long GUID = Guid.ofMac(0x0200_0000_0001L);
    private static final int IFINDEX = 3;
    private static final int MTU = 4500;

    NetHost machine;
    NetDevice network;
    Context context;

    private final Host host;
    private final RxeDevice device;
    private final List<Gid> addresses;
    private final int queues;

    @SuppressWarnings("NullAway.Init") // opening the device creates the interface
    PortBench(DeviceProfile profile, int queues, Gid... addresses) {
        this.addresses = List.of(addresses);
        this.queues = queues;
        RxeOptions options = new RxeOptions(
                        NanoClock.SYSTEM, ProgressMode.MANUAL, TransportOptions.DEFAULT, RxeOptions.ROCE_V2_PORT)
                .withPkeys(List.of(0xFFFF, 0x8001))
                .withProfile(profile);
        device = new RxeDevice("rxe0", GUID, () -> {
            plug();
            return new RxePort(network, options);
        });
        host = OneDevice.host(device);
        context = host.open("rxe0");
    }

    PortBench(DeviceProfile profile) {
        this(profile, 1, Bench.LOCAL_V4);
    }

    private void plug() {
        NetDeviceSetup setup = new NetDeviceSetup("stub0", IFINDEX, MTU, 0, addresses, FeatureSet.NONE);
        machine = NetHost.create(NanoClock.SYSTEM);
        network = machine.initial().register(new NetDevice(setup.withQueues(queues, 1), new StubLink()));
        network.up();
    }

    /** Closes all contexts of the device and opens it again. */
    void reopen() {
        context.close();
        context = host.open("rxe0");
    }

    /** Changes a P_Key, as a subnet manager does. */
    void setPkey(int index, int pkey) {
        Objects.requireNonNull(device.port()).setPkey(index, pkey);
    }

    Port port() {
        return context.port(1);
    }

    PortAttributes query() {
        return context.queryPort(1);
    }

    /** The events since the last call. */
    List<EventType> events() {
        List<EventType> events = new ArrayList<>();
        try {
            for (var event = context.getAsyncEvent(Duration.ZERO);
                    event != null;
                    event = context.getAsyncEvent(Duration.ZERO)) {
                context.acknowledgeAsyncEvent(event);
                events.add(event.type());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return events;
    }

    @Override
    public void close() {
        context.close();
        host.close();
    }
}
