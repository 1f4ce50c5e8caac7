// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.fabric.LinkNoise;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A fat tree of wire links in virtual time: leaves with hosts each, and spines above them. */
final class VirtualFabric implements AutoCloseable {
    private static final long HOST_GUID = 0x1000;
    private static final long SWITCH_GUID = 0x9000;

    private long nowNs = 1_000;
    private final NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
    final IbFabric fabric = new IbFabric(loop);
    final List<IbDevice> hosts = new ArrayList<>();
    final List<IbSwitch> leaves = new ArrayList<>();
    final List<IbSwitch> spines = new ArrayList<>();
    private final Map<String, IbLink> links = new HashMap<>();
    private final IbLinkProfile profile;

    VirtualFabric(int leafCount, int spineCount, int hostsOfLeaf, @Nullable LinkNoise noise) {
        IbLinkProfile wire = IbLinkProfile.wire(4, 100, 256);
        profile = noise == null ? wire : wire.with(noise);
        int ports = Math.max(leafCount, hostsOfLeaf + spineCount) + 1;
        for (int i = 0; i < spineCount; i++) {
            spines.add(fabric.newSwitch("spine" + i, SWITCH_GUID + i, ports));
        }
        for (int i = 0; i < leafCount; i++) {
            IbSwitch leaf = fabric.newSwitch("leaf" + i, SWITCH_GUID + 0x100 + i, ports);
            leaves.add(leaf);
            for (int j = 0; j < hostsOfLeaf; j++) {
                IbDevice host = fabric.newDevice("ib" + hosts.size(), HOST_GUID + 0x10L * hosts.size());
                hosts.add(host);
                links.put(host.name(), fabric.connect(host.port(), leaf.port(1 + j), profile));
            }
            for (int j = 0; j < spineCount; j++) {
                links.put(
                        "leaf" + i + "-spine" + j,
                        fabric.connect(
                                leaf.port(1 + hostsOfLeaf + j), spines.get(j).port(1 + i), profile));
            }
        }
        run(1_000_000);
    }

    IbManager manage(IbDevice host, SubnetOptions options) {
        return new IbManager(host, options);
    }

    /** Returns the link of a host, by the name of its device, or of a leaf and a spine. */
    IbLink link(String name) {
        return Objects.requireNonNull(links.get(name), name);
    }

    long portGuid(int host) {
        return hosts.get(host).nodeGuid() + 1;
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
    }

    void runUntilUp(IbManager manager) {
        for (int seconds = 0; seconds < 60 && !manager.isUp(); seconds++) {
            run(1_000_000_000);
        }
    }

    /** Follows the linear tables from a leaf to the host with a LID; returns the switches on the way. */
    List<IbSwitch> walk(int fromHost, int lid, int hostsOfLeaf) {
        List<IbSwitch> way = new ArrayList<>();
        IbSwitch at = leaves.get(fromHost / hostsOfLeaf);
        while (way.size() < 5) {
            way.add(at);
            int port = at.tables().linear(lid);
            if (spines.contains(at)) {
                at = leaves.get(port - 1);
            } else if (port > hostsOfLeaf && port <= hostsOfLeaf + spines.size()) {
                at = spines.get(port - 1 - hostsOfLeaf);
            } else {
                int host = leaves.indexOf(at) * hostsOfLeaf + port - 1;
                return port <= hostsOfLeaf && hosts.get(host).ownsLid(lid) ? way : List.of();
            }
        }
        return List.of();
    }

    @Override
    public void close() {
        fabric.close();
        loop.close();
    }
}
