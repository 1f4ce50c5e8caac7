// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.links.VethDevice;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Hosts with IP stacks, and the links between them, in one JVM and in virtual time. */
final class Network implements AutoCloseable {
    static final int BUFFERS = 64;
    private static final int BUFFER_BYTES = 70_000;

    /** Pool of the packets that tests send. */
    final SkBuffPool pool = new SkBuffPool(BUFFERS, BUFFER_BYTES);

    private final List<Host> hosts = new ArrayList<>();
    long nowNs;

    final class Host {
        final String name;
        final IpStack stack;
        final List<NetDevice> devices = new ArrayList<>();

        private Host(String name, IpSettings settings) {
            this.name = name;
            this.stack = new IpStack(settings, () -> nowNs);
        }

        NetDevice device(int index) {
            return devices.get(index);
        }

        private void add(NetDevice device, String... addresses) {
            device.ip()
                    .set(Arrays.stream(addresses).map(InterfaceAddress::parse).toList());
            stack.add(device);
            devices.add(device);
            device.up();
        }

        /** Adds the loopback interface. */
        Host withLoopback() {
            add(LoopbackDevice.create("lo", 1, List.of(), BUFFERS), "127.0.0.1/8", "::1/128");
            return this;
        }

        long count(SnmpCounter counter) {
            return stack.counters().get(counter);
        }

        private int poll() {
            int received = 0;
            for (NetDevice device : devices) {
                received += device.napi().poll(BUFFERS);
            }
            return received;
        }
    }

    Host host(String name) {
        return host(name, IpSettings.DEFAULT);
    }

    Host host(String name, IpSettings settings) {
        Host host = new Host(name, settings);
        hosts.add(host);
        return host;
    }

    /** Creates a link between two hosts; addresses are separated by spaces. */
    void link(Host a, String addressesOfA, Host b, String addressesOfB, int mtu) {
        String name = a.name + "-" + b.name;
        VethDevice.Pair pair = VethDevice.pair(
                VethDevice.end(name, a.devices.size() + 2, mtu, 0, List.of()),
                VethDevice.end(b.name + "-" + a.name, b.devices.size() + 2, mtu, 0, List.of()));
        a.add(pair.first(), addressesOfA.split(" "));
        b.add(pair.second(), addressesOfB.split(" "));
    }

    /** Delivers all packets that are in flight. */
    void settle() {
        int received;
        do {
            received = 0;
            for (Host host : hosts) {
                received += host.poll();
            }
        } while (received > 0);
    }

    /** Advances the time, and runs timers that become due. */
    void pass(long milliseconds) {
        long untilNs = nowNs + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        settle();
        for (long next = nextDeadlineNs(); next <= untilNs; next = nextDeadlineNs()) {
            nowNs = Math.max(nowNs, next);
            hosts.forEach(host -> host.stack.onTimeout(nowNs));
            settle();
        }
        nowNs = untilNs;
    }

    private long nextDeadlineNs() {
        return hosts.stream()
                .mapToLong(host -> host.stack.nextDeadlineNs())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Allocates a random payload with headroom. */
    SkBuff payload(int length) {
        return payload(Packets.random(length, length));
    }

    SkBuff payload(byte[] bytes) {
        SkBuff skb = Packets.allocate(pool);
        skb.reserve(UdpPorts.HEADROOM);
        int at = skb.put(bytes.length);
        MemorySegment.copy(bytes, 0, skb.memory(), ValueLayout.JAVA_BYTE, at, bytes.length);
        return skb;
    }

    static Gid ip(String address) {
        return Gid.parse(address);
    }

    /** Checks that no buffer of any pool is lost. */
    @Override
    public void close() {
        settle();
        int own = 0;
        for (Host host : hosts) {
            host.stack.close();
            own += host.stack.buffersInUse();
        }
        hosts.forEach(host -> host.devices.forEach(NetDevice::unregister));
        int inUse = BUFFERS - pool.available() + own;
        pool.close();
        if (inUse != 0) {
            throw new AssertionError(inUse + " buffers are not free");
        }
    }
}
