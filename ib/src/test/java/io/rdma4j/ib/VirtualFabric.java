// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbPort;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.LinkNoise;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.device.PhysicalState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A fat tree or a grid of wire links in virtual time; hosts are at the leaves, which all switches of a grid are. */
final class VirtualFabric implements AutoCloseable {
    private static final long HOST_GUID = 0x1000;
    private static final long SWITCH_GUID = 0x9000;
    private static final IbLinkProfile WIRE = IbLinkProfile.wire(100, 256);
    /** Ports of a switch of a grid: host, then both directions of each dimension. */
    private static final int[] ONWARDS = {2, 4};

    private long nowNs = 1_000;
    private final NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
    final IbFabric fabric;
    final List<IbDevice> hosts = new ArrayList<>();
    final List<IbSwitch> leaves = new ArrayList<>();
    final List<IbSwitch> spines = new ArrayList<>();
    private final Map<String, Cable> cables = new LinkedHashMap<>();
    /** What is at the other end of the cable of a port: a switch or a device. */
    private final Map<IbPort, Object> far = new HashMap<>();

    private final IbLinkProfile profile;

    /** A link with the switch at its first end, or the device, and that at its second end. */
    private record Cable(IbLink link, Object first, IbPort firstPort, IbSwitch second, IbPort secondPort) {}

    VirtualFabric(int leafCount, int spineCount, int hostsOfLeaf, @Nullable LinkNoise noise) {
        this(leafCount, spineCount, hostsOfLeaf, noise, null);
    }

    /** @param nonVolatile directory in which the hosts keep their keys; null for none */
    VirtualFabric(
            int leafCount, int spineCount, int hostsOfLeaf, @Nullable LinkNoise noise, @Nullable Path nonVolatile) {
        this(leafCount, spineCount, hostsOfLeaf, noise == null ? WIRE : WIRE.with(noise), nonVolatile);
    }

    private VirtualFabric(
            int leafCount, int spineCount, int hostsOfLeaf, IbLinkProfile profile, @Nullable Path nonVolatile) {
        fabric = new IbFabric(loop, nonVolatile);
        this.profile = profile;
        int ports = Math.max(leafCount, hostsOfLeaf + spineCount) + 1;
        for (int i = 0; i < spineCount; i++) {
            spines.add(fabric.newSwitch("spine" + i, SWITCH_GUID + i, ports));
        }
        for (int i = 0; i < leafCount; i++) {
            IbSwitch leaf = fabric.newSwitch("leaf" + i, SWITCH_GUID + 0x100 + i, ports);
            leaves.add(leaf);
            for (int j = 0; j < hostsOfLeaf; j++) {
                addHost(leaf, 1 + j);
            }
            for (int j = 0; j < spineCount; j++) {
                connect("leaf" + i + "-spine" + j, leaf, 1 + hostsOfLeaf + j, spines.get(j), 1 + i);
            }
        }
        run(1_000_000);
    }

    /** A fat tree of links that cost nothing, for many hosts. */
    static VirtualFabric plain(int leafCount, int spineCount, int hostsOfLeaf) {
        return new VirtualFabric(leafCount, spineCount, hostsOfLeaf, IbLinkProfile.PLAIN, null);
    }

    private VirtualFabric(int width, int height, boolean isClosed) {
        fabric = new IbFabric(loop);
        profile = WIRE;
        for (int i = 0; i < width * height; i++) {
            leaves.add(fabric.newSwitch("switch" + i, SWITCH_GUID + i, 5));
            addHost(leaves.get(i), 1);
        }
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                connectGrid(y * width + x, y * width + (x + 1) % width, 0, x + 1 < width || isClosed && width > 2);
                connectGrid(y * width + x, (y + 1) % height * width + x, 1, y + 1 < height || isClosed && height > 2);
            }
        }
        run(1_000_000);
    }

    /** A mesh with a host at each switch; a torus if it is closed. Ports: 1 host, 2 and 3 along x, 4 and 5 along y. */
    static VirtualFabric grid(int width, int height, boolean isClosed) {
        return new VirtualFabric(width, height, isClosed);
    }

    private VirtualFabric(int count, int moreLinks, SplittableRandom random) {
        fabric = new IbFabric(loop);
        profile = WIRE;
        int[] used = new int[count];
        int ports = 2 * (count + moreLinks);
        for (int i = 0; i < count; i++) {
            leaves.add(fabric.newSwitch("switch" + i, SWITCH_GUID + random.nextInt(1 << 20) * 0x100L + i, ports));
            addHost(leaves.get(i), ++used[i]);
        }
        for (int i = 1; i < count + moreLinks; i++) {
            int to = i < count ? i : random.nextInt(count);
            int from = random.nextInt(i < count ? i : count);
            if (from != to) {
                connect("link" + i, leaves.get(from), ++used[from], leaves.get(to), ++used[to]);
            }
        }
        run(1_000_000);
    }

    /** Connected switches with a host each, and some more links than a tree has. */
    static VirtualFabric random(int count, int moreLinks, SplittableRandom random) {
        return new VirtualFabric(count, moreLinks, random);
    }

    private void connectGrid(int from, int to, int dimension, boolean isThere) {
        if (isThere) {
            int port = ONWARDS[dimension];
            connect("switch" + from + "-switch" + to, leaves.get(from), port, leaves.get(to), port + 1);
        }
    }

    private void addHost(IbSwitch leaf, int port) {
        IbDevice host = fabric.newDevice("ib" + hosts.size(), HOST_GUID + 0x10L * hosts.size());
        hosts.add(host);
        cable(host.name(), host, host.port(), leaf, leaf.port(port));
    }

    private void connect(String name, IbSwitch first, int firstPort, IbSwitch second, int secondPort) {
        cable(name, first, first.port(firstPort), second, second.port(secondPort));
    }

    private void cable(String name, Object first, IbPort firstPort, IbSwitch second, IbPort secondPort) {
        IbLink link = fabric.connect(firstPort, secondPort, profile);
        cables.put(name, new Cable(link, first, firstPort, second, secondPort));
        far.put(firstPort, second);
        far.put(secondPort, first);
    }

    /** Changes what a port at the first end of a cable has, the host or the leaf, and then that at the second end. */
    void change(String name, Consumer<IbPort> first, Consumer<IbPort> second) {
        Cable old = Objects.requireNonNull(cables.get(name), name);
        fabric.exclusively(() -> {
            old.link().remove();
            first.accept(old.firstPort());
            second.accept(old.secondPort());
        });
        cable(name, old.first(), old.firstPort(), old.second(), old.secondPort());
    }

    /** The names of all cables. */
    List<String> cables() {
        return List.copyOf(cables.keySet());
    }

    /** Moves the cable of a host to another port of a leaf. */
    void move(int host, int leaf, int port) {
        IbDevice moved = hosts.get(host);
        fabric.exclusively(() -> link(moved.name()).remove());
        cable(
                moved.name(),
                moved,
                moved.port(),
                leaves.get(leaf),
                leaves.get(leaf).port(port));
    }

    /** Takes a leaf away; what comes back after some time is a switch with the same GUID and without tables. */
    void restartLeaf(int number, long awayNs) {
        IbSwitch old = leaves.get(number);
        Map<String, Cable> lost = new LinkedHashMap<>(cables);
        lost.values().removeIf(each -> each.first() != old && each.second() != old);
        fabric.exclusively(() -> lost.values().forEach(each -> each.link().remove()));
        run(awayNs);
        IbSwitch fresh = fabric.newSwitch("leaf" + number, SWITCH_GUID + 0x100 + number, old.portCount());
        leaves.set(number, fresh);
        lost.forEach((name, each) -> {
            if (each.first() == old) {
                cable(name, fresh, fresh.port(each.firstPort().number()), each.second(), each.secondPort());
            } else {
                cable(
                        name,
                        each.first(),
                        each.firstPort(),
                        fresh,
                        fresh.port(each.secondPort().number()));
            }
        });
    }

    /** The two ports of each link that is up. */
    List<List<IbPort>> linksUp() {
        return cables.values().stream()
                .map(each -> List.of(each.firstPort(), each.secondPort()))
                .filter(ports -> ports.getFirst().physicalState() == PhysicalState.LINK_UP)
                .toList();
    }

    IbManager manage(IbDevice host, SubnetOptions options) {
        return new IbManager(host, options);
    }

    /** Returns the link of a host, by the name of its device, or of a leaf and a spine. */
    IbLink link(String name) {
        return Objects.requireNonNull(cables.get(name), name).link();
    }

    void plug(String link, boolean isPlugged) {
        IbLink cable = link(link);
        fabric.exclusively(() -> {
            if (isPlugged) {
                cable.plug();
            } else {
                cable.unplug();
            }
        });
    }

    long portGuid(int host) {
        return hosts.get(host).nodeGuid() + 1;
    }

    /** Returns a host of the verbs with one device. */
    Host open(int host) {
        Host opened = Host.create("host of " + hosts.get(host).name());
        opened.register(new IbProvider(List.of(hosts.get(host))));
        return opened;
    }

    int lid(int host) {
        return hosts.get(host).lid();
    }

    void run(long ns) {
        long endNs = nowNs + ns;
        while (true) {
            while (loop.progress(nowNs)) {
                // more to do at this time
            }
            long next = loop.nextDeadlineNs();
            if (next == Deadline.NEVER || next - endNs > 0) {
                break;
            }
            nowNs = Math.max(nowNs, next);
        }
        nowNs = endNs;
        fabric.exclusively(() -> {}); // the time of the links is that of the hosts, too
    }

    void runUntilUp(IbManager manager) {
        for (int seconds = 0; seconds < 60 && !manager.isUp(); seconds++) {
            run(1_000_000_000);
        }
    }

    /** Follows the linear tables from a host to the one with a LID; returns the switches on the way. */
    List<IbSwitch> walk(int fromHost, int lid) {
        List<IbSwitch> way = new ArrayList<>();
        Object at = far.get(hosts.get(fromHost).port());
        while (at instanceof IbSwitch node && way.size() <= leaves.size() + spines.size()) {
            way.add(node);
            int port = node.tables().linear(lid);
            at = port > 0 && port <= node.portCount() ? far.get(node.port(port)) : null;
        }
        return at instanceof IbDevice device && device.ownsLid(lid) ? way : List.of();
    }

    @Override
    public void close() {
        fabric.close();
        loop.close();
    }
}
