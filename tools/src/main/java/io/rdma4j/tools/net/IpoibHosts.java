// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ipoib.IpoibDevice;
import io.rdma4j.mad.gsi.GeneralServices;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.address.IpPrefix;
import io.rdma4j.netlab.Machine;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Context;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * IP over InfiniBand on the hosts of a subnet: each has a network device {@code ib0}, with the address of the network
 * that has its number in the topology file, from 1.
 */
final class IpoibHosts implements AutoCloseable {
    /** Network of a subnet whose user gives none. */
    static final String DEFAULT = "10.0.0.0/24";

    private static final String NAME = "ib%d";
    private static final int PORT = 1;
    private static final long PAUSE_NS = 1_000_000;
    private static final long TIMEOUT_NS = 10_000_000_000L;

    private final IpPrefix network;
    private final Map<String, Gid> addresses = new LinkedHashMap<>();
    private final Map<String, NetDevice> devices = new LinkedHashMap<>();
    private final Deque<Runnable> parts = new ArrayDeque<>();

    /**
     * @param network such as {@code 10.0.0.0/24}
     * @param hosts number of hosts
     * @throws UsageException if the text is no network, or has fewer addresses
     */
    IpoibHosts(String network, int hosts) {
        try {
            this.network = IpPrefix.parse(network);
        } catch (RdmaException e) {
            throw new UsageException("'--ipoib' wants a network such as " + DEFAULT + ", or none: " + e.getMessage());
        }
        if (hosts > addresses(this.network)) {
            throw new UsageException("'--ipoib " + network + "' has no addresses for " + hosts + " hosts");
        }
    }

    /** Returns true if the usual network has addresses for so many hosts. */
    static boolean suffices(int hosts) {
        return hosts <= addresses(IpPrefix.parse(DEFAULT));
    }

    /** Returns the number of stations of a network, at most 2^24. */
    private static long addresses(IpPrefix network) {
        int bits = (network.network().isIpv4() ? Integer.SIZE : 2 * Long.SIZE) - network.length();
        return bits > 24 ? 1L << 24 : Math.max(0, (1L << bits) - 2);
    }

    /**
     * Adds {@code ib0} to the next host.
     *
     * @param context of the host's InfiniBand device, whose port is active; closed after this object
     */
    void add(Machine machine, Context context) {
        GeneralServices services = GeneralServices.open(context, PORT, true);
        parts.push(services::close);
        NetDevice device = machine.net()
                .initial()
                .register(IpoibDevice.create(NAME, services, 0, machine.loop().clock()));
        parts.push(() -> machine.net().unregister(List.of(device)));
        device.up();
        Gid base = network.network();
        Gid address = new Gid(base.prefix(), base.interfaceId() + addresses.size() + 1);
        device.ip().set(List.of(new InterfaceAddress(address, network.length(), AddressScope.of(address))));
        addresses.put(machine.name(), address);
        devices.put(machine.name(), device);
    }

    /**
     * Waits until all devices are members of the broadcast group.
     *
     * @return false if that takes longer than 10 s
     */
    boolean awaitCarriers() throws InterruptedException {
        long beginNs = System.nanoTime();
        while (!devices.values().stream().allMatch(NetDevice::isCarrierOk)) {
            if (System.nanoTime() - beginNs > TIMEOUT_NS) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        return true;
    }

    /** Returns the IP address of a host; null if it has none. */
    @Nullable
    String addressOf(String host) {
        Gid address = addresses.get(host);
        return address == null ? null : address.toInetAddress().getHostAddress();
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            parts.pop().run();
        }
    }
}
