// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.RdmaException;
import io.rdma4j.links.FaultyLink;
import io.rdma4j.links.LinkStats;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import io.rdma4j.rxe.RxePort;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Device;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Objects;

/**
 * The machines and links of a {@link Topology}. Machines with RDMA devices are the hosts, in the order of the file,
 * each with its first device. The other machines, for example switches and routers, are between them. One thread.
 */
public final class TopologyWorld extends World {
    private final Network network;

    /**
     * Builds the network and runs the commands of the file.
     *
     * @param source name of the topology in messages
     * @param transport transport options of all RDMA devices
     * @throws RdmaException EINVAL if a command fails; the message contains its output
     */
    public TopologyWorld(String source, Topology topology, TransportOptions transport, long seed) {
        super(0);
        network = Network.build(topology, clock(), ProgressMode.MANUAL, transport, seed);
        try {
            setUp(source, topology);
            // Machines between the hosts have their turns first.
            network.machines().forEach(this::addBetween);
            network.machines().forEach(this::addHost);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void setUp(String source, Topology topology) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        try {
            Shell.runAll(network, source, topology, out, out);
        } catch (RdmaException e) {
            throw new RdmaException(
                    e.errno(), e.getMessage() + ": " + said.toString().strip());
        }
    }

    private void addBetween(Machine machine) {
        if (machine.rdma().devices().isEmpty()) {
            addLoop(machine.loop());
        }
    }

    private void addHost(Machine machine) {
        List<Device> devices = machine.rdma().devices();
        if (!devices.isEmpty()) {
            String device = devices.getFirst().name();
            Context context = machine.rdma().open(device);
            RxePort port = Objects.requireNonNull(machine.port(device), "an open device has a port");
            add(new SimHost(hosts().size(), clock(), machine.rdma(), context, port, () -> {}));
        }
    }

    /** The machines and their links. This object closes them. */
    public Network network() {
        return network;
    }

    /** Links hand their packets to the machines that send and receive. */
    @Override
    boolean deliver() {
        return false;
    }

    @Override
    long nextArrivalNs() {
        return Deadline.NEVER;
    }

    @Override
    LinkStats linkStats() {
        LinkStats sum = new LinkStats();
        network.faults().forEach(link -> sum.add(link.send().stats()));
        return sum;
    }

    @Override
    int buffersUnderWay() {
        return network.faults().stream().mapToInt(FaultyLink::inUse).sum();
    }

    @Override
    public void close() {
        super.close();
        network.close();
    }
}
