// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import io.rdma4j.rdmacm.RdmaCm;
import io.rdma4j.rdmacm.RdmaCmOptions;
import io.rdma4j.rdmacm.host.RdmaCmService;
import io.rdma4j.rxe.DeviceProfile;
import io.rdma4j.rxe.RxeDevice;
import io.rdma4j.rxe.RxeOptions;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.spi.DeviceOps;
import io.rdma4j.verbs.spi.Provider;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Deth;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.Mad;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Two hosts with the real RoCE device on a link, in real time or in virtual time. */
final class DeviceHosts implements AutoCloseable {
    private static final int MTU = 4500;
    private static final int MAX_STEPS = 100_000;
    /** Bytes of a packet to which the kind of a CM message belongs. */
    private static final int HEADERS = 128;

    private final boolean isVirtual;
    private long virtualNs;
    final Side client;
    final Side server;

    private record Plugged(List<RxeDevice> devices) implements Provider {
        @Override
        public String name() {
            return "plugged";
        }

        @Override
        public Collection<? extends DeviceOps> discover() {
            return List.copyOf(devices);
        }
    }

    /** One host. */
    final class Side {
        final Host host = Host.create("test");
        final RdmaCmService service;
        final RdmaCm cm;
        private final NetDevice link;
        private final RxeDevice rxe;
        /** A further device on a link of its own. */
        private @Nullable RxeDevice second;

        private @Nullable NetDevice secondLink;

        private final RxeOptions options;
        private final List<RxeDevice> plugged = new CopyOnWriteArrayList<>();
        /** Keeps the interface answering while no id of the host uses it. */
        private @Nullable Context answering;
        /** Messages of the communication manager that do not arrive. */
        volatile Predicate<CmMessage> isLost = _ -> false;

        volatile boolean losesIpv4;

        Side(NetDevice link, long seed) {
            this.link = link;
            link.up();
            link.receiveQueues().createIngress().filter(this::arrives);
            NanoClock clock = isVirtual ? () -> virtualNs : NanoClock.SYSTEM;
            options = new RxeOptions(
                    clock,
                    isVirtual ? ProgressMode.MANUAL : ProgressMode.AUTOMATIC,
                    TransportOptions.DEFAULT,
                    RxeOptions.ROCE_V2_PORT,
                    true,
                    List.of(0xFFFF),
                    true,
                    false,
                    DeviceProfile.FULL,
                    false);
            rxe = new RxeDevice("rxe0", Guid.ofMac(link.macAddress()), () -> new RxePort(link, options));
            plugged.add(rxe);
            host.register(new Plugged(plugged));
            service = isVirtual
                    ? RdmaCmService.openDrivenByCaller(host, RdmaCmOptions.of(seed), clock)
                    : RdmaCmService.open(host);
            cm = service.cm();
        }

        /** The host gets a further device, on a link of its own. */
        private void add(NetDevice further) {
            further.up();
            second = new RxeDevice("rxe1", Guid.ofMac(further.macAddress()), () -> new RxePort(further, options));
            plugged.add(second);
            secondLink = further;
            host.devices();
        }

        ConnectionOptions options() {
            return ConnectionOptions.DEFAULT.withManager(cm);
        }

        /** Neighbours find the host from now on, also before its rdma_cm uses the device. */
        void answer() {
            answering = host.devices().getFirst().open();
        }

        /** The interface gets an address with the network that it is in. */
        void setNetwork(String address, int prefixLength) {
            set(link, address, prefixLength);
        }

        /** The interface of the second link gets an address with the network that it is in. */
        void setSecondNetwork(String address, int prefixLength) {
            set(Objects.requireNonNull(secondLink), address, prefixLength);
        }

        private static void set(NetDevice device, String address, int prefixLength) {
            device.ip().set(List.of(new InterfaceAddress(Gid.parse(address), prefixLength, AddressScope.GLOBAL)));
        }

        /** The device leaves the host. */
        void unplug() {
            plugged.clear();
            host.devices();
        }

        /** The device comes back. */
        void plug() {
            plugged.add(rxe);
            host.devices();
        }

        /** The interface gets other addresses. */
        void setAddresses(String... addresses) {
            link.ip().setGids(List.of(addresses).stream().map(Gid::parse).toList());
        }

        /** Packets begin with the network header. */
        private boolean arrives(SkBuff packet) {
            byte[] start = new byte[Math.min(packet.len(), HEADERS)];
            MemorySegment bytes = MemorySegment.ofArray(start);
            packet.copyBits(0, bytes, 0, start.length);
            boolean isIpv4 = start[0] >>> 4 == 4;
            if (isIpv4 && losesIpv4) {
                return false;
            }
            int bth = (isIpv4 ? Ipv4.BYTES : Ipv6.BYTES) + Udp.BYTES;
            if (start.length < HEADERS || Bth.opcode(bytes, bth) != Opcode.UD_SEND_ONLY) {
                return true;
            }
            int attribute = Mad.ATTRIBUTE_ID.getInt(bytes, (long) bth + Bth.BYTES + Deth.BYTES);
            CmMessage message = Bth.destinationQpn(bytes, bth) == 1 ? CmMessage.of(attribute) : null;
            return message == null || !isLost.test(message);
        }

        private long progress() {
            boolean worked;
            long nextNs;
            do {
                worked = false;
                nextNs = service.progress(virtualNs);
                for (RxeDevice device : second == null ? List.of(rxe) : List.of(rxe, second)) {
                    RxePort port = device.port();
                    if (port != null) {
                        worked |= port.progress(virtualNs);
                        nextNs = Deadline.earlier(nextNs, port.nextDeadlineNs());
                    }
                }
            } while (worked);
            return nextNs;
        }

        private void close() {
            service.close();
            if (answering != null) {
                answering.close();
            }
            host.close();
        }
    }

    DeviceHosts() {
        this(false);
    }

    DeviceHosts(boolean isVirtual) {
        this.isVirtual = isVirtual;
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.1"), Gid.parse("fd00::1"))),
                VethDevice.end("veth0", 7, MTU, 0, List.of(Gid.parse("10.0.0.2"), Gid.parse("fd00::2"))));
        client = new Side(pair.first(), 1);
        server = new Side(pair.second(), 2);
    }

    /** A second link between the hosts, with a device of its own at each end. */
    void addLink() {
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end("veth1", 8, MTU, 0, List.of(Gid.parse("10.1.0.1"), Gid.parse("fd01::1"))),
                VethDevice.end("veth1", 8, MTU, 0, List.of(Gid.parse("10.1.0.2"), Gid.parse("fd01::2"))));
        client.add(pair.first());
        server.add(pair.second());
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

    /** Waits for a condition, for which virtual time passes. */
    void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < MAX_STEPS; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            long nextNs = work();
            if (i % 2 == 1 && nextNs != Deadline.NEVER) {
                virtualNs = Math.max(virtualNs, nextNs);
            }
        }
        throw new AssertionError("not seen: " + what);
    }

    /** Lets virtual time pass. */
    void pass(Duration duration) {
        long endNs = virtualNs + duration.toNanos();
        for (long nextNs = work(); Deadline.earlier(nextNs, endNs) != endNs; nextNs = work()) {
            virtualNs = Math.max(virtualNs, nextNs);
        }
        virtualNs = endNs;
        work();
    }

    /** Does what is due now; returns the next deadline. */
    private long work() {
        // A second round for what the first one has sent.
        client.progress();
        server.progress();
        return Deadline.earlier(client.progress(), server.progress());
    }

    long virtualNs() {
        return virtualNs;
    }

    static InetSocketAddress address(String ip, int port) {
        return new InetSocketAddress(Gid.parse(ip).toInetAddress(), port);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
