// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.ipoib.IpoibDevice;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.netlab.Machine;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.RdmaCmOptions;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Two machines with IP over InfiniBand at a switch, and rdma_cm on them; in virtual time or in real time. The subnet
 * manager runs at a third adapter.
 */
final class SubnetMachines implements AutoCloseable {
    private static final long HOST_GUID = 0x1000;
    private static final long TIMEOUT_NS = 120_000_000_000L;

    private final boolean isVirtual;
    private long virtualNs = 1_000;
    private final NanoClock clock;
    private final NetLoop fabricLoop;
    private final IbFabric fabric;
    private final IbSwitch leaf;
    private final IbManager manager;
    private boolean isManaged = true;
    final Side client;
    final Side server;

    /** One machine. */
    final class Side {
        final Machine machine;
        final Context context;
        final NetDevice ib0;
        final RdmaCmService service;
        private final GeneralServices services;

        Side(int number) {
            IbDevice adapter = fabric.newDevice("Hca" + number, HOST_GUID * number);
            fabric.connect(adapter.port(), leaf.port(number), IbLinkProfile.PLAIN);
            machine = new Machine(adapter.name(), clock, mode());
            machine.rdma().register(new IbProvider(List.of(adapter)));
            context = machine.rdma().devices().getFirst().open();
            services = GeneralServices.open(context, 1, !isVirtual);
            ib0 = machine.net().initial().register(IpoibDevice.create("ib%d", services, 0, clock));
            service = isVirtual
                    ? RdmaCmService.openDrivenByCaller(machine.rdma(), RdmaCmOptions.of(number), clock)
                    : RdmaCmService.open(machine.rdma());
        }

        void up(int number) {
            ib0.up();
            ib0.ip()
                    .set(List.of(
                            InterfaceAddress.parse("10.0.0." + number + "/24"),
                            InterfaceAddress.parse("fd00::" + number + "/64")));
        }

        ConnectionOptions options() {
            return ConnectionOptions.DEFAULT.withManager(service.cm());
        }

        private boolean progress() {
            boolean worked = machine.loop().progress(virtualNs);
            services.progress(virtualNs);
            service.progress(virtualNs);
            return worked;
        }

        private long nextNs() {
            long nextNs = Deadline.earlier(service.progress(virtualNs), services.progress(virtualNs));
            return Deadline.earlier(nextNs, machine.loop().nextDeadlineNs());
        }

        private void close() {
            service.close();
            machine.net().unregister(List.of(ib0));
            machine.loop().progress(clock.nanoTime()); // the IP stack gives the device up
            services.close();
            context.close();
        }
    }

    SubnetMachines(boolean isVirtual, SubnetOptions options) {
        this.isVirtual = isVirtual;
        clock = isVirtual ? () -> virtualNs : NanoClock.SYSTEM;
        fabricLoop = new NetLoop(clock, mode());
        fabric = new IbFabric(fabricLoop);
        leaf = fabric.newSwitch("leaf", 0x9000, 3);
        fabricLoop.start("fabric");
        client = new Side(1);
        server = new Side(2);
        IbDevice third = fabric.newDevice("Hca3", HOST_GUID * 3);
        fabric.connect(third.port(), leaf.port(3), IbLinkProfile.PLAIN);
        manager = new IbManager(third, options);
        await("the sweep", manager::isUp);
        client.up(1);
        server.up(2);
        await("the broadcast group", () -> client.ib0.isCarrierOk() && server.ib0.isCarrierOk());
    }

    private ProgressMode mode() {
        return isVirtual ? ProgressMode.MANUAL : ProgressMode.AUTOMATIC;
    }

    /** Ends subnet manager and administrator. */
    void closeManager() {
        if (isManaged) {
            isManaged = false;
            manager.close();
        }
    }

    /** The next event, for which virtual time passes. */
    ConnectionEvent await(EventChannel channel) {
        List<ConnectionEvent> events = new ArrayList<>();
        await("event", () -> {
            ConnectionEvent event = channel.poll();
            return event != null && events.add(event);
        });
        ConnectionEvent event = events.getFirst();
        event.acknowledge();
        return event;
    }

    /** Waits for a condition, at most two minutes. */
    void await(String what, BooleanSupplier condition) {
        long endNs = clock.nanoTime() + TIMEOUT_NS;
        while (!condition.getAsBoolean()) {
            if (clock.nanoTime() - endNs > 0) {
                throw new AssertionError("not seen: " + what);
            }
            if (!isVirtual) {
                LockSupport.parkNanos(1_000_000);
            } else if (!step()) {
                long nextNs = nextNs();
                virtualNs = Math.max(virtualNs + 1, nextNs == Deadline.NEVER ? endNs : nextNs);
            }
        }
    }

    private boolean step() {
        boolean worked = fabricLoop.progress(virtualNs);
        worked |= client.progress();
        worked |= server.progress();
        // The services have posted meanwhile.
        return fabricLoop.progress(virtualNs) || worked;
    }

    private long nextNs() {
        return Deadline.earlier(fabricLoop.nextDeadlineNs(), Deadline.earlier(client.nextNs(), server.nextNs()));
    }

    /** True if the switch copies packets of a group to a port. */
    boolean isMember(int mlid, int port) {
        return fabric.exclusively(() -> leaf.tables().isMulticastMember(mlid, port));
    }

    long virtualNs() {
        return virtualNs;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        closeManager();
        fabric.close();
        fabricLoop.close();
        client.machine.close();
        server.machine.close();
    }
}
