// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.NamespaceIp;
import io.rdma4j.ip.PingEndpoint;
import io.rdma4j.ip.UdpPorts;
import io.rdma4j.loop.HostLoop;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Hosts with IP over InfiniBand at one switch, in virtual time. The subnet manager runs at the first one. */
final class IpoibSubnet implements AutoCloseable {
    private static final long HOST_GUID = 0x1000;
    private static final long STEP_NS = 10_000_000_000L;

    private long nowNs = 1_000;
    private final NetLoop fabricLoop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
    final IbFabric fabric = new IbFabric(fabricLoop);
    final List<IbDevice> adapters = new ArrayList<>();
    final List<Station> stations = new ArrayList<>();
    private @Nullable IbManager manager;

    IpoibSubnet(int hosts) {
        IbSwitch leaf = fabric.newSwitch("leaf", 0x9000, hosts);
        for (int i = 0; i < hosts; i++) {
            IbDevice adapter = fabric.newDevice("ib" + i, HOST_GUID + 0x10L * i);
            fabric.connect(adapter.port(), leaf.port(1 + i), IbLinkProfile.PLAIN);
            adapters.add(adapter);
        }
        openManager();
    }

    void openManager() {
        IbManager opened = new IbManager(adapters.getFirst(), SubnetOptions.DEFAULT);
        manager = opened;
        runUntil(opened::isUp);
    }

    /** Ends subnet manager and administrator; ports and tables stay as they are. */
    void closeManager() {
        IbManager closed = manager;
        manager = null;
        if (closed != null) {
            closed.close();
        }
    }

    /** A host with an IPoIB device that has an address of each IP version. */
    Station start(int host) {
        Station station = new Station(host);
        stations.add(station);
        return station;
    }

    /** One host. */
    final class Station {
        final Host host;
        final Context context;
        final GeneralServices services;
        final NetHost net = NetHost.create(() -> nowNs);
        final NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
        final NamespaceIp ip = new NamespaceIp(net.initial(), loop, IpSettings.DEFAULT);
        final NetDevice device;
        final SkBuffPool pool = new SkBuffPool(16, UdpPorts.HEADROOM + 4096);

        Station(int number) {
            host = Host.create("host" + number);
            host.register(new IbProvider(List.of(adapters.get(number))));
            context = host.devices().getFirst().open();
            services = GeneralServices.open(context, 1, false);
            HostLoop.connect(net, loop);
            ip.start();
            device = net.initial().register(IpoibDevice.create("ib%d", services, 0, () -> nowNs));
            device.up();
            device.ip()
                    .set(List.of(
                            InterfaceAddress.parse(v4(number) + "/24"), InterfaceAddress.parse(v6(number) + "/64")));
        }

        boolean isReady() {
            return device.isCarrierOk();
        }

        /** Sends an echo request, and returns the length of the answer within 2 s; -1 without an answer. */
        int ping(String address, int bytes) {
            PingEndpoint endpoint = loop.exclusively(() -> ip.stack().openPing());
            try {
                SkBuff skb = Objects.requireNonNull(pool.allocate());
                skb.reserve(UdpPorts.HEADROOM);
                int at = skb.put(bytes);
                for (int i = 0; i < bytes; i++) {
                    skb.memory().set(ValueLayout.JAVA_BYTE, at + (long) i, (byte) i);
                }
                Errno error = loop.exclusively(() -> endpoint.send(skb, Gid.parse(address), 7));
                if (error != null) {
                    throw new IllegalStateException(address + ": " + error);
                }
                int[] length = {-1};
                runUntil(() -> {
                    SkBuff answer = loop.exclusively(endpoint::receive);
                    if (answer != null) {
                        length[0] = answer.len();
                        answer.free();
                    }
                    return answer != null;
                });
                return length[0];
            } finally {
                loop.exclusively(endpoint::close);
            }
        }

        void close() {
            stations.remove(this);
            net.unregister(net.devices());
            ip.close();
            loop.close();
            services.close();
            context.close();
            host.close();
            pool.close();
        }
    }

    /** Creates a queue pair at a host, so that its number is taken; returns what closes it. */
    Runnable occupyQueuePair(int number) {
        Host host = Host.create("another" + number);
        host.register(new IbProvider(List.of(adapters.get(number))));
        Context context = host.devices().getFirst().open();
        ProtectionDomain pd = context.allocatePd();
        CompletionQueue cq = context.createCq(1);
        QueuePair qp =
                pd.createQp(QpInitAttributes.builder(cq, cq).type(QpType.UD).build());
        return () -> {
            qp.close();
            cq.close();
            pd.close();
            context.close();
            host.close();
        };
    }

    static String v4(int host) {
        return "10.0.0." + (1 + host);
    }

    static String v6(int host) {
        return "fd00::" + (1 + host);
    }

    private boolean step() {
        boolean worked = fabricLoop.progress(nowNs);
        for (Station station : List.copyOf(stations)) {
            worked |= station.loop.progress(nowNs);
            station.services.progress(nowNs);
        }
        // The services have posted meanwhile.
        return fabricLoop.progress(nowNs) || worked;
    }

    private long next() {
        long next = fabricLoop.nextDeadlineNs();
        for (Station station : stations) {
            next = Deadline.earlier(next, station.loop.nextDeadlineNs());
            next = Deadline.earlier(next, station.services.progress(nowNs));
        }
        return next;
    }

    /** Runs until a condition, at most 10 s. */
    void runUntil(BooleanSupplier over) {
        long endNs = nowNs + STEP_NS;
        while (!over.getAsBoolean() && nowNs - endNs < 0) {
            while (step() && !over.getAsBoolean()) {
                // more to do at this time
            }
            if (!over.getAsBoolean()) {
                long next = next();
                nowNs = Math.max(nowNs + 1, next == Deadline.NEVER ? endNs : Math.min(next, endNs));
            }
        }
    }

    void run(long ns) {
        long endNs = nowNs + ns;
        runUntil(() -> nowNs - endNs >= 0);
    }

    @Override
    public void close() {
        List.copyOf(stations).forEach(Station::close);
        closeManager();
        fabric.close();
        fabricLoop.close();
    }
}
