// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.network;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.BridgeDevice;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkProfile;
import io.rdma4j.links.VethDevice;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.topology.LinkWords;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.transport.port.TransportOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A network inside the JVM, built from a {@link Topology}. Each link is a pair of Ethernet devices, with the link's
 * faults. Each switch has a bridge. All devices are up; hosts have no addresses.
 *
 * <p>Any thread may call. The creator closes the network after all contexts of its RDMA devices.
 */
public final class Network implements AutoCloseable {
    /** Name of a switch's bridge device. */
    private static final String BRIDGE = "br0";

    private static final int FRAMES_UNDER_WAY = VethDevice.DEFAULT_QUEUE_LENGTH;

    private final Function<String, NanoClock> clocks;
    private final TransportOptions transport;
    private final SplittableRandom random;
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final List<FaultyLink> faults = new ArrayList<>();

    private Network(Function<String, NanoClock> clocks, TransportOptions transport, long seed) {
        this.clocks = clocks;
        this.transport = transport;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Builds the machines and links of a topology; does not run its commands.
     *
     * @param topology machines and links
     * @param clock clock of all machines and links
     * @param mode whether threads of the machines or the caller drive their loops
     * @param seed seed of the links' faults and of the MAC addresses
     * @return the network; closing it closes machines and links
     * @throws RdmaException errors of the devices; nothing is left open then
     */
    public static Network build(Topology topology, NanoClock clock, ProgressMode mode, long seed) {
        return build(topology, _ -> clock, mode, TransportOptions.DEFAULT, seed);
    }

    /**
     * {@return a network with options for its RDMA devices}
     *
     * @param topology machines and links
     * @param clocks returns the clock of a machine, by its name, also for the faults of packets that the machine sends
     * @param mode whether threads of the machines or the caller drive their loops
     * @param transport options of the RDMA devices
     * @param seed seed of the links' faults and of the MAC addresses
     * @throws RdmaException errors of the devices; nothing is left open then
     */
    public static Network build(
            Topology topology,
            Function<String, NanoClock> clocks,
            ProgressMode mode,
            TransportOptions transport,
            long seed) {
        Network network = new Network(clocks, transport, seed);
        try {
            topology.machines().forEach(machine -> network.add(machine, mode));
            topology.links().forEach(network::add);
            return network;
        } catch (RuntimeException e) {
            network.close();
            throw e;
        }
    }

    private void add(Topology.Machine described, ProgressMode mode) {
        NanoClock clock = clocks.apply(described.name());
        Machine machine = new Machine(described.name(), clock, mode, transport);
        machines.put(described.name(), machine);
        if (described.kind() == Topology.Kind.SWITCH) {
            NetDevice bridge = BridgeDevice.create(BRIDGE, clock).netDevice();
            machine.net().initial().register(bridge).up();
        }
    }

    private void add(Topology.Link link) {
        int mtu = link.profile().mtuBytes();
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end(link.first().device(), 0, mtu, mac(), List.of()),
                VethDevice.end(link.second().device(), 0, mtu, mac(), List.of()),
                FRAMES_UNDER_WAY);
        plug(link.first(), pair.first(), link.profile());
        plug(link.second(), pair.second(), link.profile());
    }

    /** A random unicast address that is locally administered. */
    private long mac() {
        return random.nextLong() & 0xFCFF_FFFF_FFFFL | 0x0200_0000_0000L;
    }

    private void plug(Topology.End end, NetDevice device, LinkProfile profile) {
        NetNamespace namespace = machine(end.machine()).net().initial();
        namespace.register(device);
        long seed = random.nextLong();
        if (!profile.withMtuBytes(LinkWords.PLAIN.mtuBytes()).equals(LinkWords.PLAIN)) {
            LinkProfile unspoilt = LinkWords.PLAIN.withMtuBytes(profile.mtuBytes());
            NanoClock clock = clocks.apply(end.machine());
            faults.add(FaultyLink.install(device, profile, unspoilt, seed, clock, FRAMES_UNDER_WAY));
        }
        NetDevice bridge = namespace.find(BRIDGE);
        if (bridge != null) {
            device.stack().enslave(bridge);
        }
        device.up();
    }

    /** {@return a copy of all machines, including switches, in the order of the topology} */
    public List<Machine> machines() {
        return List.copyOf(machines.values());
    }

    /**
     * {@return the machine of this name}
     *
     * @param name name in the topology
     * @throws RdmaException ENOENT if there is none; the message lists the existing names
     */
    public Machine machine(String name) {
        Machine found = find(name);
        if (found == null) {
            throw new RdmaException(
                    Errno.ENOENT,
                    "there is no machine \"" + name + "\"; there is " + String.join(", ", machines.keySet()));
        }
        return found;
    }

    /**
     * {@return the machine of this name or null}
     *
     * @param name name in the topology
     */
    public @Nullable Machine find(String name) {
        return machines.get(name);
    }

    /**
     * {@return a copy of the link ends that have faults, in the order of the topology; the first end of a link comes
     * first}
     */
    public List<FaultyLink> faults() {
        return List.copyOf(faults);
    }

    /**
     * Closes all machines.
     *
     * @throws RdmaException EBUSY while a context of an RDMA device is open
     */
    @Override
    public void close() {
        machines.values().forEach(Machine::close);
    }
}
