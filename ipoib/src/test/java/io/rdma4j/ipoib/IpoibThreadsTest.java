// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.loop.HostLoop;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device changes in one thread while the loop threads join its groups, in real time. */
@Timeout(60)
class IpoibThreadsTest {
    private static final int ROUNDS = 200;
    private static final long RUN_NS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final NetLoop fabricLoop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric = new IbFabric(fabricLoop);
    private final IbDevice adapter = fabric.newDevice("ib0", 0x1000);
    private final Host host = Host.create("host0");
    private final NetHost net = NetHost.create(NanoClock.SYSTEM);
    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final AtomicInteger polls = new AtomicInteger();
    private volatile boolean polling;

    /** Number of stops that began during a poll. */
    private final AtomicInteger overlaps = new AtomicInteger();

    IpoibThreadsTest() {
        IbSwitch leaf = fabric.newSwitch("leaf", 0x9000, 1);
        fabric.connect(adapter.port(), leaf.port(1), IbLinkProfile.PLAIN);
        fabricLoop.start("fabric");
        HostLoop.connect(net, loop);
        loop.start("host");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable part : parts.reversed()) {
            part.close();
        }
        loop.close();
        host.close();
        fabric.close();
        fabricLoop.close();
    }

    private GeneralServices services() {
        IbManager manager = new IbManager(adapter, SubnetOptions.DEFAULT);
        parts.add(manager);
        while (!manager.isUp()) {
            Thread.onSpinWait();
        }
        host.register(new IbProvider(List.of(adapter)));
        Context context = host.devices().getFirst().open();
        parts.add(context);
        GeneralServices services = GeneralServices.open(context, 1, true);
        parts.add(services);
        return services;
    }

    /** A driver whose polls take longer, so that another thread meets one. */
    private final class SlowPolls implements NetDeviceOps {
        private final NetDeviceOps driver;

        SlowPolls(NetDeviceOps driver) {
            this.driver = driver;
        }

        @Override
        public @Nullable SkBuff pollReceive(NetDevice to) {
            polling = true;
            polls.incrementAndGet();
            try {
                LockSupport.parkNanos(POLL_NS);
                return driver.pollReceive(to);
            } finally {
                polling = false;
            }
        }

        @Override
        public void stop(NetDevice stopped) {
            if (polling) {
                overlaps.incrementAndGet();
            }
            driver.stop(stopped);
        }

        @Override
        public void open(NetDevice opened) {
            driver.open(opened);
        }

        @Override
        public NetdevTx startXmit(SkBuff skb, NetDevice from) {
            return driver.startXmit(skb, from);
        }

        @Override
        public boolean isSignalled() {
            return driver.isSignalled();
        }

        @Override
        public void uninit(NetDevice gone) {
            driver.uninit(gone);
        }

        @Override
        public void destructor(NetDevice released) {
            driver.destructor(released);
        }
    }

    private NetDevice register(GeneralServices services) {
        NetDevice device = net.initial().register(IpoibDevice.create("ib%d", services, 0, NanoClock.SYSTEM));
        device.driver().interpose(SlowPolls::new);
        return device;
    }

    /** The device goes down, or is unregistered, during any poll from the request of a join to its answer. */
    @Test
    void aDeviceGoesDownBesideAJoin() {
        GeneralServices services = services();
        NetDevice device = register(services);
        SplittableRandom random = new SplittableRandom(1);
        long endNs = System.nanoTime() + RUN_NS;
        for (int round = 0; round < ROUNDS && System.nanoTime() - endNs < 0; round++) {
            device.up();
            int first = polls.get() + random.nextInt(16);
            while (polls.get() < first || !polling) {
                device.napi().schedule();
            }
            if (round % 8 == 7) {
                device.unregister();
                device = register(services);
            } else {
                device.down();
            }
        }
        device.unregister();
        assertThat(overlaps).hasValue(0);
    }
}
