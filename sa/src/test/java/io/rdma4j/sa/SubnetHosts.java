// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.fixtures.TestTime;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Hosts at one switch of an InfiniBand subnet, with SA clients, and a subnet manager, in virtual time. */
final class SubnetHosts implements AutoCloseable {
    private static final long HOST_GUID = 0x1000;
    private static final long SWITCH_GUID = 0x9000;

    private final TestTime clock = TestTime.virtual(this::work, 1_000);
    private final NetLoop loop = new NetLoop(clock, ProgressMode.MANUAL);
    final IbFabric fabric = new IbFabric(loop);
    final IbSwitch node;
    final List<Side> hosts = new ArrayList<>();

    /** One host. */
    final class Side {
        private final Host host = Host.create("test");
        final IbDevice device;
        final IbLink link;
        final Context context;
        final GeneralServices services;
        final SaClient sa;

        Side(int number) {
            String name = "ib" + number;
            device = fabric.newDevice(name, HOST_GUID + 0x10L * number);
            link = fabric.connect(device.port(), node.port(1 + number), IbLinkProfile.PLAIN);
            host.register(new IbProvider(List.of(device)));
            context = host.device(name).open();
            services = GeneralServices.openDrivenByCaller(host.device(name), 1);
            sa = SaClient.open(services);
        }

        Gid gid() {
            return context.queryGid(1, 0);
        }

        private void close() {
            sa.close();
            services.close();
            context.close();
            host.close();
        }
    }

    SubnetHosts(int count) {
        node = fabric.newSwitch("switch", SWITCH_GUID, count + 1);
        for (int i = 0; i < count; i++) {
            hosts.add(new Side(i));
        }
    }

    /** Starts a manager at a host and waits for its sweep. */
    IbManager manage(int host, SubnetOptions options) {
        IbManager manager = new IbManager(hosts.get(host).device, options);
        await("the sweep", manager::isUp);
        return manager;
    }

    void await(String what, BooleanSupplier condition) {
        clock.await(what, condition);
    }

    /** Lets time pass. */
    void pass(long ms) {
        clock.pass(ms * 1_000_000);
    }

    private long work(long nowNs) {
        long nextNs;
        long before;
        boolean worked;
        do {
            before = activity();
            worked = loop.progress(nowNs);
            nextNs = loop.nextDeadlineNs();
            for (Side host : hosts) {
                nextNs = Deadline.earlier(nextNs, host.services.progress(nowNs));
            }
        } while (worked || before != activity());
        return nextNs;
    }

    private long activity() {
        long datagrams = 0;
        for (Side host : hosts) {
            datagrams += host.services.mad().counters().get(MadCounter.SENT)
                    + host.services.mad().counters().get(MadCounter.RECEIVED);
        }
        return datagrams;
    }

    @Override
    public void close() {
        hosts.forEach(Side::close);
        fabric.close();
        loop.close();
    }
}
