// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.mad.gsi;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.MadAddress;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rxe.DeviceProfile;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.testing.fixtures.TestTime;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.verbs.values.AddressVector;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Two hosts with the real RoCE device on a link, in virtual time or in real time. Their ports are in two partitions.
 */
final class TwoHosts implements AutoCloseable {
    static final int PARTITION = 0x8123;
    static final LinkProfile PLAIN = LinkProfile.PERFECT.withMtuBytes(4500);

    private static final int MTU = 4500;
    private static final int QUEUE_LENGTH = 4096;

    private final TestTime clock;
    private final List<GeneralServices> driven = new ArrayList<>();
    private final List<LongUnaryOperator> others = new ArrayList<>();
    final Side a;
    final Side b;

    /** A provider of one device, until it is removed. */
    private static final class OneDevice implements Provider {
        private List<RxeDevice> devices;

        OneDevice(RxeDevice device) {
            devices = List.of(device);
        }

        @Override
        public String name() {
            return "one";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return devices;
        }
    }

    /** One host. */
    final class Side {
        final NetDevice link;
        final Host host = Host.create("test");
        final Device device;
        private final RxeDevice rxe;
        private final OneDevice provider;
        /** Keeps the device open. */
        final Context context;

        Side(NetDevice link, RxeOptions options) {
            this.link = link;
            link.up();
            rxe = new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, options));
            provider = new OneDevice(rxe);
            host.register(provider);
            device = host.device("rxe0");
            context = device.open();
        }

        RxePort port() {
            return Objects.requireNonNull(rxe.port());
        }

        Gid gid() {
            return context.queryGid(1, 0);
        }

        /** The address of this side's QP1 for the other side. */
        MadAddress address() {
            return MadAddress.gsi(AddressVector.roce(1, gid(), 0), 0);
        }

        GeneralServices services() {
            if (!clock.isVirtual()) {
                return GeneralServices.open(device, 1);
            }
            GeneralServices services = GeneralServices.openDrivenByCaller(device, 1);
            driven.add(services);
            return services;
        }

        /** The device is removed while it is in use. */
        void remove() {
            provider.devices = List.of();
            host.devices();
        }

        private void close() {
            context.close();
            host.close();
        }
    }

    /** @param faults of the link in both directions */
    TwoHosts(boolean isVirtual, LinkProfile faults, long seed) {
        clock = isVirtual ? TestTime.virtual(this::work, 0) : TestTime.real();
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.1"))),
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.2"))));
        a = new Side(faulty(pair.first(), faults, seed), options(0xFFFF, PARTITION));
        b = new Side(faulty(pair.second(), faults, seed + 1), options(0xFFFF, 0x8777, PARTITION));
    }

    private NetDevice faulty(NetDevice device, LinkProfile faults, long seed) {
        if (!faults.equals(PLAIN)) {
            FaultyLink.install(device, faults, PLAIN, seed, clock, QUEUE_LENGTH);
        }
        return device;
    }

    private RxeOptions options(Integer... pkeys) {
        ProgressMode mode = clock.isVirtual() ? ProgressMode.MANUAL : ProgressMode.AUTOMATIC;
        return new RxeOptions(
                clock,
                mode,
                TransportOptions.DEFAULT,
                RxeOptions.ROCE_V2_PORT,
                true,
                List.of(pkeys),
                true,
                false,
                DeviceProfile.FULL,
                false);
    }

    long nowNs() {
        return clock.nanoTime();
    }

    /** Adds something that virtual time drives; it returns its next deadline. */
    void drive(LongUnaryOperator other) {
        others.add(other);
    }

    void stopDriving(GeneralServices services) {
        driven.remove(services);
    }

    void await(String what, BooleanSupplier condition) {
        clock.await(what, condition);
    }

    /** Lets virtual time pass. */
    void pass(long durationNs) {
        clock.pass(durationNs);
    }

    private long work(long nowNs) {
        long nextNs;
        long before;
        boolean worked;
        do {
            before = activity();
            worked = a.port().progress(nowNs);
            worked |= b.port().progress(nowNs);
            nextNs = Deadline.NEVER;
            for (GeneralServices services : List.copyOf(driven)) {
                nextNs = Deadline.earlier(nextNs, services.progress(nowNs));
            }
            for (LongUnaryOperator other : others) {
                nextNs = Deadline.earlier(nextNs, other.applyAsLong(nowNs));
            }
            nextNs = Deadline.earlier(nextNs, a.port().nextDeadlineNs());
            nextNs = Deadline.earlier(nextNs, b.port().nextDeadlineNs());
        } while (worked || before != activity());
        return nextNs;
    }

    /** Changes if the MAD layers have sent or received something. */
    private long activity() {
        long sum = 0;
        for (GeneralServices services : driven) {
            sum += services.mad().counters().get(MadCounter.SENT)
                    + services.mad().counters().get(MadCounter.RECEIVED);
        }
        return sum;
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
