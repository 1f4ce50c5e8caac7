package io.rdma4j.testing.sim;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.loop.ProgressMode;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A machine with one network card and the real RoCEv2 device over it, opened, and driven by nobody but the simulation. The
 * {@link Simulation} closes it, after the test has closed its verbs objects.
 */
public final class SimHost implements AutoCloseable {
    private final int index;
    private final NanoClock clock;
    private final Host host;
    private final Context context;
    private final RxePort port;

    SimHost(SimLinkDevice card, NanoClock clock, TransportOptions transport) {
        this.index = card.index();
        this.clock = clock;
        NetDevice netDevice = card.netDevice();
        RxeOptions options = new RxeOptions(clock, ProgressMode.MANUAL, transport, RxeOptions.ROCE_V2_PORT);
        RxeDevice device = new RxeDevice("rxe0", Guid.ofMac(SimLinkDevice.macAddress(index)), () -> {
            netDevice.up();
            return new RxePort(netDevice, options);
        });
        host = Host.create("host" + index);
        host.register(new SingleDevice(device));
        context = host.open(device.name());
        port = Objects.requireNonNull(device.port(), "an open device has a port");
    }

    private record SingleDevice(DeviceOps device) implements Provider {
        @Override
        public String name() {
            return "sim";
        }

        @Override
        public Collection<? extends DeviceOps> discover(Host where) {
            return List.of(device);
        }
    }

    /** Which host of the simulation, from 0. */
    public int index() {
        return index;
    }

    /** Now. */
    long nowNs() {
        return clock.nanoTime();
    }

    /** Its device, open. */
    public Context context() {
        return context;
    }

    /** The first address of its card. */
    public Gid gid() {
        return context.queryGid(1, 0);
    }

    /** The port below, with its counters. */
    public RxePort port() {
        return port;
    }

    @Override
    public void close() {
        context.close();
        host.close();
    }
}
