// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.NamespaceIp;
import io.rdma4j.ip.route.Route;
import io.rdma4j.links.VethDevice;
import io.rdma4j.links.qemu.QemuDatagramDevice;
import io.rdma4j.links.qemu.QemuStreamDevice;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The transports on which the conformance kit runs. */
final class RxeTargets {
    private static final Set<Capability> CAPABILITIES = Set.of(
            Capability.UNATTENDED_PROGRESS,
            Capability.SELF_TALK,
            Capability.ON_DEMAND_PAGING,
            Capability.DMA_REGIONS,
            Capability.REREGISTRATION,
            Capability.SCATTERED_REGIONS,
            Capability.CQ_RESIZE);
    private static final Set<Capability> WITH_FRAMES = with(Capability.RAW_FRAMES);
    private static final Gid ADDRESS = Gid.parse("::ffff:10.9.8.7");
    private static final Gid PEER = Gid.parse("::ffff:10.9.8.8");
    private static final Gid ADDRESS_V6 = Gid.parse("fd00::7");
    private static final Gid PEER_V6 = Gid.parse("fd00::8");
    private static final int IFINDEX = 7;
    private static final int ETHERNET_MTU = 4500;
    private static final int QUEUE_LENGTH = 1024;
    private static final InetSocketAddress LOCAL = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long RETRY_NS = 10_000_000;

    private RxeTargets() {}

    private static Set<Capability> with(Capability further) {
        Set<Capability> all = EnumSet.of(further);
        all.addAll(CAPABILITIES);
        return all;
    }

    /** Two hosts with one device each, connected by UDP sockets. */
    static ConformanceTarget udp() {
        return new Target(hostOf(TestAddresses.nextDevice()), hostOf(TestAddresses.nextDevice()), CAPABILITIES);
    }

    /** Two hosts with one device each, connected by shared memory like two processes of one machine. */
    static ConformanceTarget sharedMemory() {
        return new Target(
                hostOf(RxeOptions.DEFAULT.withSharedMemory(true), TestAddresses.nextDevice()),
                hostOf(RxeOptions.DEFAULT.withSharedMemory(true), TestAddresses.nextDevice()),
                CAPABILITIES);
    }

    /** Two hosts in one JVM, connected by an Ethernet link. */
    static ConformanceTarget veth() {
        return veth(ADDRESS, PEER);
    }

    /** Two hosts in one JVM, connected by an Ethernet link, with IPv6 addresses. */
    static ConformanceTarget vethOverIpv6() {
        return veth(ADDRESS_V6, PEER_V6);
    }

    private static ConformanceTarget veth(Gid first, Gid second) {
        VethDevice.Pair link = VethDevice.pair(
                VethDevice.end("veth0", IFINDEX, ETHERNET_MTU, 0, List.of(first)),
                VethDevice.end("veth0", IFINDEX, ETHERNET_MTU, 0, List.of(second)));
        return new Target(hostOn(link.first()), hostOn(link.second()), WITH_FRAMES);
    }

    /** Two hosts whose adapters are connected like those of QEMU guests, by a stream socket. */
    static ConformanceTarget qemuStream() {
        QemuStreamDevice first = QemuStreamDevice.listen(
                QemuStreamDevice.setup("qemu0", IFINDEX, ETHERNET_MTU, 0, List.of(ADDRESS)), LOCAL);
        QemuStreamDevice second = QemuStreamDevice.connect(
                QemuStreamDevice.setup("qemu0", IFINDEX, ETHERNET_MTU, 0, List.of(PEER)),
                first.address(),
                RETRY_NS,
                NanoClock.SYSTEM);
        return new Target(hostOn(first.netDevice()), hostOn(second.netDevice()), CAPABILITIES);
    }

    /** Two hosts whose adapters are connected like those of QEMU guests, by datagram sockets. */
    static ConformanceTarget qemuDatagrams() {
        int port = freePort();
        QemuDatagramDevice first = QemuDatagramDevice.open(
                QemuDatagramDevice.setup("qemu0", IFINDEX, ETHERNET_MTU, 0, List.of(ADDRESS)),
                LOCAL,
                new InetSocketAddress(LOCAL.getAddress(), port));
        QemuDatagramDevice second = QemuDatagramDevice.open(
                QemuDatagramDevice.setup("qemu0", IFINDEX, ETHERNET_MTU, 0, List.of(PEER)),
                new InetSocketAddress(LOCAL.getAddress(), port),
                new InetSocketAddress(LOCAL.getAddress(), first.port()));
        return new Target(hostOn(first.netDevice()), hostOn(second.netDevice()), CAPABILITIES);
    }

    private static int freePort() {
        try (DatagramSocket socket = new DatagramSocket(LOCAL)) {
            return socket.getLocalPort();
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Two hosts on separate links, and a router between them. */
    static ConformanceTarget routed() {
        VethDevice.Pair first = link("10.1.0.1", "10.1.0.254");
        VethDevice.Pair second = link("10.2.0.2", "10.2.0.254");
        NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
        IpStack router = new IpStack(IpSettings.DEFAULT, NanoClock.SYSTEM);
        for (NetDevice device : List.of(first.second(), second.second())) {
            router.add(device);
            loop.add(device);
            device.up();
        }
        router.setForwarding(true);
        loop.start("router");
        Target target = new Target(
                hostBehind(first.first(), "10.1.0.254"), hostBehind(second.first(), "10.2.0.254"), CAPABILITIES);
        target.atClose(() -> {
            loop.close();
            router.close();
            first.second().unregister();
            second.second().unregister();
        });
        return target;
    }

    /** Two machines whose RoCE devices share loop, IP stack and network device with the rest of the machine. */
    static ConformanceTarget hosted() {
        VethDevice.Pair link = VethDevice.unregistered(
                VethDevice.end("eth0", 0, ETHERNET_MTU, 0, List.of()),
                VethDevice.end("eth0", 0, ETHERNET_MTU, 0, List.of()),
                QUEUE_LENGTH);
        Machine first = new Machine(link.first(), "10.9.8.7/24");
        Machine second = new Machine(link.second(), "10.9.8.8/24");
        Target target = new Target(first.host(), second.host(), CAPABILITIES);
        target.atClose(() -> {
            first.close();
            second.close();
        });
        return target;
    }

    /** A machine with one network device. */
    private static final class Machine {
        private final NetDevice network;
        private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
        private final NamespaceIp ip;

        Machine(NetDevice device, String address) {
            NetHost machine = NetHost.create(NanoClock.SYSTEM);
            ip = new NamespaceIp(machine.initial(), loop, IpSettings.DEFAULT);
            network = machine.initial().register(device);
            network.ip().set(List.of(InterfaceAddress.parse(address)));
            network.up();
            loop.add(network);
            ip.start();
            loop.start("machine");
        }

        Host host() {
            long guid = Guid.ofMac(network.macAddress());
            return OneDevice.host(new RxeDevice("rxe0", guid, () -> {
                PortSite site = loop.exclusively(() -> PortSite.on(network, ip.stack(), loop));
                return new RxePort(site, RxeOptions.DEFAULT);
            }));
        }

        void close() {
            loop.close();
            ip.close();
            network.unregister();
        }
    }

    private static VethDevice.Pair link(String host, String router) {
        VethDevice.Pair link = VethDevice.pair(
                VethDevice.end("veth0", IFINDEX, ETHERNET_MTU, 0, List.of()),
                VethDevice.end("veth1", IFINDEX, ETHERNET_MTU, 0, List.of()));
        link.first().ip().set(List.of(InterfaceAddress.parse(host + "/24")));
        link.second().ip().set(List.of(InterfaceAddress.parse(router + "/24")));
        return link;
    }

    private static Host hostBehind(NetDevice network, String router) {
        network.up();
        return OneDevice.host(new RxeDevice("rxe0", Guid.ofMac(network.macAddress()), () -> {
            RxePort port = new RxePort(network, RxeOptions.DEFAULT);
            port.stack().routes().add(Route.via(IpPrefix.ALL_IPV4, Gid.parse(router)));
            return port;
        }));
    }

    private static Host hostOn(NetDevice network) {
        network.up();
        return OneDevice.host(new RxeDevice(
                "rxe0",
                Guid.ofMac(network.macAddress()),
                () -> new RxePort(network, RxeOptions.DEFAULT.withRawPackets())));
    }

    /** One host whose device sends only to itself. */
    static ConformanceTarget loopback() {
        return loopback(RxeTargets::loopbackPort);
    }

    /** One device, whose port a test creates. */
    static ConformanceTarget loopback(Supplier<RxePort> port) {
        RxeDevice device = new RxeDevice("rxe0", Guid.ofMac(0x0200_0000_0001L), port);
        Host host = OneDevice.host(device);
        return new Target(host, host, CAPABILITIES);
    }

    /** A port over a loopback interface. */
    static RxePort loopbackPort() {
        NetDevice network = LoopbackDevice.create("lo0", IFINDEX, List.of(ADDRESS), QUEUE_LENGTH);
        network.up();
        return new RxePort(network, RxeOptions.DEFAULT);
    }

    /** A host with devices over sockets only. */
    static Host hostOf(DeviceSpec... devices) {
        return hostOf(RxeOptions.DEFAULT.withSharedMemory(false), devices);
    }

    private static Host hostOf(RxeOptions options, DeviceSpec... devices) {
        Host host = Host.create("test");
        host.register(new RxeProvider(List.of(devices), options));
        return host;
    }

    private static final class Target implements ConformanceTarget {
        private final Host firstHost;
        private final Host secondHost;
        private final Context first;
        private final Context second;

        private final Set<Capability> capabilities;
        private Runnable last = () -> {};

        Target(Host firstHost, Host secondHost, Set<Capability> capabilities) {
            this.capabilities = capabilities;
            this.firstHost = firstHost;
            this.secondHost = secondHost;
            this.first = firstHost.open("rxe0");
            this.second = secondHost.open("rxe0");
        }

        /** Adds an action to run after both hosts are closed. */
        void atClose(Runnable action) {
            last = action;
        }

        @Override
        public Context first() {
            return first;
        }

        @Override
        public Context second() {
            return second;
        }

        @Override
        public Set<Capability> capabilities() {
            return capabilities;
        }

        @Override
        public void close() {
            first.close();
            second.close();
            firstHost.close();
            secondHost.close();
            last.run();
        }
    }
}
