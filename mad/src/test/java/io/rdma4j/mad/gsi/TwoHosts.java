// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.TopologyParser;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.values.AddressVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/** Two hosts with the real RoCE device on a link, in virtual time or in real time. */
final class TwoHosts implements AutoCloseable {
    private static final long PATIENCE_NS = 30_000_000_000L;
    private static final long VIRTUAL_PATIENCE_NS = 600_000_000_000L;

    private final boolean isVirtual;
    private final Network network;
    private final List<GeneralServices> driven = new ArrayList<>();
    private final List<LongUnaryOperator> others = new ArrayList<>();
    private long virtualNs;
    final Side a;
    final Side b;

    /** One host. */
    final class Side {
        final Machine machine;
        final Device device;
        /** Keeps the device open and its tables usable. */
        final Context context;

        Side(String name, String address) {
            machine = network.machine(name);
            Objects.requireNonNull(machine.find(Machine.INITIAL, "eth0"))
                    .ip()
                    .set(List.of(InterfaceAddress.parse(address)));
            device = machine.rdma().newLink("rxe0", "rxe", "eth0");
            context = device.open();
        }

        RxePort port() {
            return Objects.requireNonNull(machine.port("rxe0"));
        }

        Gid gid() {
            return context.queryGid(1, 0);
        }

        /** The address of this side's QP1 for the other side. */
        MadAddress address() {
            return MadAddress.gsi(AddressVector.roce(1, gid(), 0), 0);
        }

        GeneralServices services() {
            if (!isVirtual) {
                return GeneralServices.open(device, 1);
            }
            GeneralServices services = GeneralServices.openDrivenByCaller(device, 1);
            driven.add(services);
            return services;
        }
    }

    /** @param faults of the link, in the words of tc netem; empty for none */
    TwoHosts(boolean isVirtual, String faults, long seed) {
        this.isVirtual = isVirtual;
        String topology = "host a\nhost b\nlink a/eth0 b/eth0 mtu 4200 " + faults + "\n";
        NanoClock clock = isVirtual ? () -> virtualNs : NanoClock.SYSTEM;
        network = Network.build(
                TopologyParser.parse("test", topology),
                clock,
                isVirtual ? ProgressMode.MANUAL : ProgressMode.AUTOMATIC,
                seed);
        a = new Side("a", "10.0.0.1/24");
        b = new Side("b", "10.0.0.2/24");
    }

    long nowNs() {
        return isVirtual ? virtualNs : System.nanoTime();
    }

    /** Adds something that virtual time drives; it returns its next deadline. */
    void drive(LongUnaryOperator other) {
        others.add(other);
    }

    void stopDriving(GeneralServices services) {
        driven.remove(services);
    }

    void await(String what, BooleanSupplier condition) {
        long endNs = nowNs() + (isVirtual ? VIRTUAL_PATIENCE_NS : PATIENCE_NS);
        while (!condition.getAsBoolean()) {
            if (nowNs() - endNs > 0 || !step(endNs) && !condition.getAsBoolean()) {
                throw new AssertionError("not in time: " + what);
            }
        }
    }

    /** Lets virtual time pass. */
    void pass(long durationNs) {
        long endNs = virtualNs + durationNs;
        while (step(endNs)) {
            // The step has moved the time.
        }
        virtualNs = endNs;
        work();
    }

    /** Does what is due and goes on to the next event; false if there is none before {@code endNs}. */
    private boolean step(long endNs) {
        if (!isVirtual) {
            Thread.onSpinWait();
            return true;
        }
        long nextNs = work();
        if (nextNs == Deadline.NEVER || nextNs - endNs > 0) {
            return false;
        }
        virtualNs = Math.max(virtualNs, nextNs);
        return true;
    }

    private long work() {
        long nextNs;
        boolean worked;
        do {
            worked = a.port().progress(virtualNs);
            worked |= b.port().progress(virtualNs);
            nextNs = Deadline.NEVER;
            for (GeneralServices services : List.copyOf(driven)) {
                nextNs = Deadline.earlier(nextNs, services.progress(virtualNs));
            }
            for (LongUnaryOperator other : others) {
                nextNs = Deadline.earlier(nextNs, other.applyAsLong(virtualNs));
            }
            nextNs = Deadline.earlier(nextNs, a.port().nextDeadlineNs());
            nextNs = Deadline.earlier(nextNs, b.port().nextDeadlineNs());
        } while (worked);
        return nextNs;
    }

    @Override
    public void close() {
        a.context.close();
        b.context.close();
        network.close();
    }
}
