// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.mad.MadCounter;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.testing.fixtures.TestTime;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** A host with an SA client and a host with a scripted SA: two real RoCE devices on a link, in virtual time. */
final class SaNetwork implements AutoCloseable {
    private static final int MTU = 4500;

    private final TestTime clock = TestTime.virtual(this::work, 0);
    final Side client;
    final Side server;

    private record OneDevice(RxeDevice device) implements Provider {
        @Override
        public String name() {
            return "one";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.of(device);
        }
    }

    /** One host. */
    final class Side {
        private final Host host = Host.create("test");
        private final RxeDevice device;
        final Context context;
        final GeneralServices services;

        Side(NetDevice link) {
            link.up();
            RxeOptions options =
                    new RxeOptions(clock, ProgressMode.MANUAL, TransportOptions.DEFAULT, RxeOptions.ROCE_V2_PORT);
            device = new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, options));
            host.register(new OneDevice(device));
            context = host.device("rxe0").open();
            services = GeneralServices.openDrivenByCaller(host.device("rxe0"), 1);
        }

        private RxePort port() {
            return Objects.requireNonNull(device.port());
        }

        Gid gid() {
            return context.queryGid(1, 0);
        }

        private void close() {
            services.close();
            context.close();
            host.close();
        }
    }

    SaNetwork() {
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.1"))),
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.2"))));
        client = new Side(pair.first());
        server = new Side(pair.second());
    }

    long nowMs() {
        return clock.nanoTime() / 1_000_000;
    }

    /** Runs until a condition holds; virtual time goes on meanwhile. */
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
            worked = client.port().progress(nowNs);
            worked |= server.port().progress(nowNs);
            nextNs = Deadline.earlier(client.services.progress(nowNs), server.services.progress(nowNs));
            nextNs = Deadline.earlier(nextNs, client.port().nextDeadlineNs());
            nextNs = Deadline.earlier(nextNs, server.port().nextDeadlineNs());
        } while (worked || before != activity());
        return nextNs;
    }

    private long activity() {
        return activity(client) + activity(server);
    }

    private static long activity(Side side) {
        return side.services.mad().counters().get(MadCounter.SENT)
                + side.services.mad().counters().get(MadCounter.RECEIVED);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
