// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.verbs;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;

/** An open software device without a network: all its queue pairs can be connected to each other. */
public final class SelfDevice implements AutoCloseable {
    private static final Gid ADDRESS = Gid.parse("::ffff:10.9.8.7");
    private static final long MAC = 0x0200_0000_0001L;
    private static final int IFINDEX = 7;
    private static final int QUEUE_LENGTH = 1024;
    private static final String NAME = "rxe0";

    private final Host host = Host.create("bench");
    private final Context context;

    /** Creates and opens it. */
    public SelfDevice() {
        host.register(new One(new RxeDevice(NAME, Guid.ofMac(MAC), SelfDevice::port)));
        context = host.open(NAME);
    }

    private static RxePort port() {
        NetDevice network = LoopbackDevice.create("lo0", IFINDEX, List.of(ADDRESS), QUEUE_LENGTH);
        network.up();
        return new RxePort(network, RxeOptions.DEFAULT);
    }

    private record One(RxeDevice device) implements Provider {
        @Override
        public String name() {
            return "bench";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** The open device. */
    public Context context() {
        return context;
    }

    @Override
    public void close() {
        context.close();
        host.close();
    }
}
