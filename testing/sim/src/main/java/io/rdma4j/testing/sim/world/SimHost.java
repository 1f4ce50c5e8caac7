// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A host with a network device and the real RoCEv2 device over it, opened. Only the simulation drives it. The {@link
 * World} closes it, after the test has closed its verbs objects.
 */
public final class SimHost implements AutoCloseable {
    private final int index;
    private final NanoClock clock;
    private final Host host;
    private final Context context;
    private final RxePort port;
    private final Runnable below;

    /**
     * Wraps an existing host.
     *
     * @param host with its devices
     * @param context of its device; this object takes ownership
     * @param port of the device
     * @param below closes the objects made for this host only; called when the context is closed
     */
    SimHost(int index, NanoClock clock, Host host, Context context, RxePort port, Runnable below) {
        this.index = index;
        this.clock = clock;
        this.host = host;
        this.context = context;
        this.port = port;
        this.below = below;
    }

    /** Creates a host with one network device. */
    static SimHost withCard(SimLinkDevice card, NanoClock clock, TransportOptions transport) {
        NetDevice netDevice = card.netDevice();
        RxeOptions options = new RxeOptions(clock, ProgressMode.MANUAL, transport, RxeOptions.ROCE_V2_PORT);
        RxeDevice device = new RxeDevice("rxe0", Guid.ofMac(SimLinkDevice.macAddress(card.index())), () -> {
            netDevice.up();
            return new RxePort(netDevice, options);
        });
        Host host = Host.create("host" + card.index());
        host.register(new SingleDevice(device));
        Context context = host.open(device.name());
        RxePort port = Objects.requireNonNull(device.port(), "an open device has a port");
        return new SimHost(card.index(), clock, host, context, port, host::close);
    }

    private record SingleDevice(DeviceOps device) implements Provider {
        @Override
        public String name() {
            return "sim";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** Index of the host in the simulation, from 0. */
    public int index() {
        return index;
    }

    /** Current time. */
    public long nowNs() {
        return clock.nanoTime();
    }

    /** The host, whose only device is open. */
    public Host host() {
        return host;
    }

    /** Its open device. */
    public Context context() {
        return context;
    }

    /** The first address of its network device. */
    public Gid gid() {
        return context.queryGid(1, 0);
    }

    /** The largest path MTU that its interface permits. */
    public Mtu activeMtu() {
        return context.queryPort(1).activeMtu();
    }

    /** The RoCE port, with its counters. */
    public RxePort port() {
        return port;
    }

    @Override
    public void close() {
        context.close();
        below.run();
    }
}
