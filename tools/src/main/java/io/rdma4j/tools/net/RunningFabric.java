// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.IbProvider;
import io.rdma4j.ib.topology.FabricTopology;
import io.rdma4j.ib.umad2sim.Umad2SimServer;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.Shell;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.uverbs.server.UverbsServer;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.local.RunDirectory;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.Owner;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An InfiniBand subnet in this process, and the programs that run on its hosts. Each channel adapter is a host with one
 * device, which other processes of this user can open too.
 */
final class RunningFabric extends RunningHosts {
    private static final String NONE = ManagerSettings.NONE;
    private static final String LOOPBACK = "127.0.0.1";
    private static final int MAX_PORT = 0xFFFF;
    private static final int NOT_FOUND = 127;
    private static final long PAUSE_NS = 20_000_000;

    /** Tools that find their peers by rdma_cm, and so by the addresses of IP over InfiniBand. */
    private static final Set<String> CONNECTING =
            Set.of("rping", "ucmatose", "udaddy", "mckey", "rdma_client", "rdma_xclient");

    private final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    private final IbFabric fabric;
    private final Map<String, Machine> hosts = new LinkedHashMap<>();
    private final Map<String, Context> contexts = new LinkedHashMap<>();
    private final List<IbDevice> devices;
    private final int nodes;

    /** Null without IP. */
    private @Nullable IpoibHosts ip;

    /** What is closed before the fabric, the last one first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private RunningFabric(FabricTopology topology, @Nullable Path keys, ToolFinder tools) {
        super(tools);
        fabric = new IbFabric(loop, keys);
        loop.start("fabric");
        devices = topology.build(fabric, IbLinkProfile.PLAIN);
        nodes = topology.nodes().size();
        for (IbDevice device : devices) {
            Machine host = new Machine(device.name(), NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
            host.rdma().register(new IbProvider(List.of(device)));
            hosts.put(device.name(), host);
        }
    }

    /**
     * Builds the subnet, and waits until its ports are active.
     *
     * @param out hears of what the user has to do
     */
    static RunningFabric start(FabricTopology topology, FabricSettings settings, ToolFinder tools, PrintWriter out)
            throws IOException, InterruptedException {
        RunningFabric running = new RunningFabric(topology, settings.keyDirectory(), tools);
        try {
            running.serve();
            if (!settings.umad2sim().isEmpty()) {
                running.open(port(settings.umad2sim()), out);
            }
            running.manage(settings.manager(), out);
            running.addIp(settings.ipoib(), out);
            return running;
        } catch (RuntimeException | IOException | InterruptedException e) {
            running.close();
            throw e;
        }
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= MAX_PORT) {
                return port;
            }
        } catch (NumberFormatException _) {
            // the message is the same
        }
        throw new UsageException("'--umad2sim' wants a port of 0 to 65535, not '" + text + "'");
    }

    private void serve() throws IOException {
        for (Machine host : hosts.values()) {
            Context held = host.rdma().devices().getFirst().open(Owner.current());
            parts.push(held);
            contexts.put(host.name(), held);
            UverbsServer server = UverbsServer.open(held.device(), RunDirectory.configured());
            parts.push(server);
            parts.push(held.registerEventHandler(event -> {
                if (event.type() == EventType.GID_CHANGE) {
                    server.addressesChanged();
                }
            }));
        }
        parts.push(ControlServer.open((task, out, _) -> run(task, out)));
    }

    private void open(int port, PrintWriter out) throws IOException {
        Umad2SimServer server =
                Umad2SimServer.open(fabric, new InetSocketAddress(InetAddress.ofLiteral(LOOPBACK), port));
        parts.push(server);
        out.println("umad2sim: LD_PRELOAD=libumad2sim.so IBSIM_SERVER_NAME=" + LOOPBACK + " IBSIM_SERVER_PORT="
                + server.port() + " SIM_HOST=" + firstHost() + " opensm");
        out.flush();
    }

    private void manage(ManagerSettings manager, PrintWriter out) throws IOException, InterruptedException {
        if (devices.isEmpty()) {
            return;
        }
        if (manager.host().equals(NONE)) {
            out.println("waiting until a subnet manager has activated all ports");
            out.flush();
        } else {
            String name = manager.host().isEmpty() ? firstHost() : manager.host();
            IbDevice device = devices.stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new UsageException("'--sm' wants one of " + hosts.keySet() + ", or none"));
            parts.push(new IbManager(device, manager.options(device.nodeGuid() + 1)));
        }
        while (!fabric.exclusively(this::isActive)) {
            LockSupport.parkNanos(PAUSE_NS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** A subnet that is too large for the usual network has no IP, unless the user gives another one. */
    private void addIp(String network, PrintWriter out) throws InterruptedException {
        boolean isUsual = network.isEmpty() && IpoibHosts.suffices(hosts.size());
        if (network.equals(NONE) || network.isEmpty() && !isUsual) {
            return;
        }
        IpoibHosts added = new IpoibHosts(isUsual ? IpoibHosts.DEFAULT : network, hosts.size());
        parts.push(added);
        hosts.forEach((name, host) -> added.add(host, Objects.requireNonNull(contexts.get(name))));
        if (!added.awaitCarriers()) {
            out.println("IP over InfiniBand: not all hosts can join the broadcast group");
            out.flush();
        }
        ip = added;
    }

    /** Returns true if all ports with a cable are active. */
    private boolean isActive() {
        return devices.stream()
                .map(device -> device.port().state())
                .allMatch(state -> state == PortState.ACTIVE || state == PortState.DOWN);
    }

    @Override
    String firstHost() {
        return hosts.isEmpty() ? "" : hosts.keySet().iterator().next();
    }

    @Override
    boolean isHost(String word) {
        return hosts.containsKey(word);
    }

    @Override
    @Nullable
    Host rdma(String host) {
        Machine machine = hosts.get(host);
        return machine == null ? null : machine.rdma();
    }

    @Override
    String wayTo(String host, String tool) {
        IpoibHosts known = ip;
        String address = known == null || !CONNECTING.contains(tool) ? null : known.addressOf(host);
        return address == null ? super.wayTo(host, tool) : address;
    }

    @Override
    String title() {
        return "subnet " + ProcessHandle.current().pid() + ": hosts " + hosts.keySet() + " and "
                + (nodes - hosts.size()) + " switches";
    }

    @Override
    boolean isEnd(String line) {
        return line.strip().equals("exit");
    }

    @Override
    int run(HostTask program, PrintWriter out) {
        Machine host = hosts.get(program.host());
        if (host == null) {
            throw new RdmaException(
                    Errno.ENOENT,
                    "there is no host \"" + program.host() + "\"; there is " + String.join(", ", hosts.keySet()));
        }
        String name = program.words().getFirst();
        if (Shell.has(name)) {
            return Shell.run(host, withAddresses(program.words()), out, out);
        }
        Command tool = tools().find(name, host.rdma());
        if (tool == null) {
            out.println(name + ": command not found");
            out.flush();
            return NOT_FOUND;
        }
        int exit = runTool(tool, program, out);
        out.flush();
        return exit;
    }

    /** The name of a host among the arguments of a command stands for its IP address. */
    private List<String> withAddresses(List<String> words) {
        IpoibHosts known = ip;
        return words.stream()
                .map(word -> Objects.requireNonNullElse(known == null ? null : known.addressOf(word), word))
                .toList();
    }

    @Override
    int runLine(HostTask program, PrintWriter out) {
        return run(program, out);
    }

    @Override
    public void close() throws IOException {
        try {
            while (!parts.isEmpty()) {
                parts.pop().close();
            }
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("a part of the subnet cannot be closed", e);
        }
        fabric.close();
        loop.close();
        hosts.values().forEach(Machine::close);
    }
}
