// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pingpong;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortState;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two InfiniBand devices and a switch for a warm-up, without threads of their own. */
final class WarmupSubnet implements AutoCloseable {
    private static final long MAX_NS = TimeUnit.SECONDS.toNanos(1);

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(loop);
    private final Host host = Host.create("warmup");

    /** Builds the subnet, and activates its ports within a second; later they are not active. */
    WarmupSubnet() {
        List<IbDevice> devices = List.of(fabric.newDevice("ping", 0x10), fabric.newDevice("pong", 0x20));
        IbSwitch between = fabric.newSwitch("warmup", 0x30, devices.size());
        for (int i = 0; i < devices.size(); i++) {
            fabric.connect(devices.get(i).port(), between.port(1 + i), IbLinkProfile.PLAIN);
        }
        try (IbManager manager = new IbManager(devices.getFirst(), SubnetOptions.DEFAULT)) {
            long beginNs = System.nanoTime();
            while (!(manager.isUp() && isActive(devices)) && System.nanoTime() - beginNs < MAX_NS) {
                loop.progress(loop.clock().nanoTime());
            }
        }
        host.register(new IbProvider(devices));
    }

    private static boolean isActive(List<IbDevice> devices) {
        return devices.stream().allMatch(device -> device.port().state() == PortState.ACTIVE);
    }

    /** Has the devices {@code ping} and {@code pong}. */
    Host host() {
        return host;
    }

    @Override
    public void close() {
        host.close();
        fabric.close();
        loop.close();
    }
}
