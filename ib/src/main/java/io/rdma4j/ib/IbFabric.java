// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.EventSchedule;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSubnet;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.pma.PerformanceManagementAgent;
import io.rdma4j.fabric.sma.SubnetManagementAgent;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The switches, links and devices of a subnet, driven by one event loop: in real time by its threads, in virtual time
 * by the caller of {@link NetLoop#progress}. Any thread, except as noted.
 *
 * <pre>{@code
 * IbFabric fabric = new IbFabric(loop);
 * IbSwitch leaf = fabric.newSwitch("leaf1", 0x20, 8);
 * IbDevice a = fabric.newDevice("ib0", 0x10);
 * fabric.connect(a.port(), leaf.port(1), IbLinkProfile.PLAIN);
 * }</pre>
 */
public final class IbFabric implements AutoCloseable {
    private static final int MANAGEMENT_BUFFERS = 4096;
    private static final int MANAGEMENT_BYTES = 512;

    private final NetLoop loop;
    private final @Nullable Path nonVolatile;
    private final EventSchedule schedule = new EventSchedule();
    private final IbSubnet subnet = new IbSubnet(schedule);
    private final SkBuffPool datagrams = SkBuffPool.growing(MANAGEMENT_BUFFERS, MANAGEMENT_BYTES);
    private final FabricClock clock;
    private final List<IbDevice> devices = new CopyOnWriteArrayList<>();
    private final List<NodeAgents> nodes = new CopyOnWriteArrayList<>();

    /**
     * Creates a fabric without nodes.
     *
     * @param loop drives the fabric and its devices
     */
    public IbFabric(NetLoop loop) {
        this(loop, null);
    }

    /**
     * Creates a fabric without nodes, whose devices keep their M_Key and P_Keys in files across restarts.
     *
     * @param loop drives the fabric and its devices
     * @param nonVolatile directory with a file for each device, by its name; created if it does not exist; null for
     *     none
     */
    public IbFabric(NetLoop loop, @Nullable Path nonVolatile) {
        this.loop = loop;
        this.nonVolatile = nonVolatile;
        this.clock = new FabricClock(loop, schedule, error -> devices.forEach(device -> device.fail(error)));
        loop.add(clock);
    }

    /** {@return the loop that drives the fabric} */
    public NetLoop loop() {
        return loop;
    }

    /** {@return links and nodes; for the owner of the loop, see {@link #exclusively}} */
    public IbSubnet subnet() {
        return subnet;
    }

    /** {@return the agents of all switches and devices, in the order in which they were made} */
    public List<NodeAgents> nodes() {
        return List.copyOf(nodes);
    }

    FabricClock clock() {
        return clock;
    }

    /** Buffers of management datagrams. */
    SkBuffPool datagrams() {
        return datagrams;
    }

    /**
     * Runs an operation that reads or changes nodes, links and tables while no other thread runs the fabric.
     *
     * @param <T> type of the result
     * @param operation short, because packets wait meanwhile
     * @return the result of the operation
     */
    public <T> T exclusively(Supplier<T> operation) {
        boolean isOutside = !loop.isInside();
        T result = loop.exclusively(() -> {
            if (isOutside) {
                clock.catchUp();
            }
            T value = operation.get();
            clock.changed();
            return value;
        });
        if (loop.isAutomatic() && !loop.isInside()) {
            loop.wake(); // the thread that sleeps until a deadline does not know an earlier one
        }
        return result;
    }

    /**
     * As {@link #exclusively(Supplier)}, without a result.
     *
     * @param operation short, because packets wait meanwhile
     */
    public void exclusively(Runnable operation) {
        exclusively(() -> {
            operation.run();
            return this;
        });
    }

    /**
     * {@return a new switch with its agents for subnet and performance management}
     *
     * @param description text of at most 64 bytes
     * @param guid of the node, EUI-64
     * @param ports number of ports with a link, 1..254
     */
    public IbSwitch newSwitch(String description, long guid, int ports) {
        return exclusively(() -> {
            NodeAgents agents = new NodeAgents(this, description, SkBuff::free, SkBuff::free);
            IbSwitch node = subnet.newSwitch(ports, agents, agents);
            agents.attach(
                    SubnetManagementAgent.of(node, guid, description),
                    new PerformanceManagementAgent(
                            IntStream.rangeClosed(1, ports).mapToObj(node::port).toList()),
                    node::send);
            nodes.add(agents);
            return node;
        });
    }

    /**
     * {@return a new channel adapter with one port}
     *
     * @param name of the device, unique within its host
     * @param guid of the node, EUI-64; that of the port is greater by 1
     * @throws RdmaException EIO if the file with the keys of the device cannot be read
     */
    public IbDevice newDevice(String name, long guid) {
        return exclusively(() -> {
            IbDevice device = new IbDevice(this, name, guid, nonVolatile);
            devices.add(device);
            nodes.add(device.agents());
            return device;
        });
    }

    /**
     * {@return a new link} It comes up after the training time of its profile.
     *
     * @param first one port
     * @param second the other one
     * @param profile what the link costs
     */
    public IbLink connect(IbPort first, IbPort second, IbLinkProfile profile) {
        return exclusively(() -> subnet.connect(first, second, profile));
    }

    /** Ends the fabric. No device may be open. */
    @Override
    public void close() {
        loop.exclusively(() -> {
            loop.unschedule(clock);
            loop.remove(clock);
        });
        devices.forEach(IbDevice::free);
        datagrams.close();
    }
}
