// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.subnet;

import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.ib.IbDevice;
import io.rdma4j.ib.IbFabric;
import io.rdma4j.ib.IbManager;
import io.rdma4j.ib.ManagementListener;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.wire.mad.Mad;
import io.rdma4j.wire.mad.MadClass;
import io.rdma4j.wire.mad.MadMethod;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A fat tree of plain links in virtual time: each leaf has a link to each spine. Nothing waits for the time to pass, so
 * what is measured is computing time of one thread.
 */
final class FatTree implements AutoCloseable {
    private static final long SECOND_NS = 1_000_000_000;
    private static final int MAX_SECONDS = 600;
    private static final int BATCH = 64;
    private static final int GSI = 1;

    private long nowNs = 1_000;
    private final NetLoop loop = new NetLoop(() -> nowNs, ProgressMode.MANUAL);
    private final IbFabric fabric = new IbFabric(loop);
    private final List<IbDevice> hosts = new ArrayList<>();
    private final IbLink firstLink;
    private final IbManager manager;

    /** A number of nodes. */
    record Shape(int leaves, int hostsOfLeaf, int spines) {
        int nodes() {
            return leaves * (1 + hostsOfLeaf) + spines;
        }
    }

    /** Builds the tree, and begins a sweep. */
    FatTree(Shape shape) {
        List<IbSwitch> spines = new ArrayList<>();
        for (int i = 0; i < shape.spines; i++) {
            spines.add(fabric.newSwitch("spine" + i, 0x9000L + i, shape.leaves));
        }
        List<IbLink> links = new ArrayList<>();
        for (int i = 0; i < shape.leaves; i++) {
            IbSwitch leaf = fabric.newSwitch("leaf" + i, 0xA000L + i, shape.hostsOfLeaf + shape.spines);
            for (int j = 0; j < shape.spines; j++) {
                links.add(fabric.connect(
                        leaf.port(1 + shape.hostsOfLeaf + j), spines.get(j).port(1 + i), IbLinkProfile.PLAIN));
            }
            for (int j = 0; j < shape.hostsOfLeaf; j++) {
                IbDevice host = fabric.newDevice("host" + hosts.size(), 0x10_0000L + 2L * hosts.size());
                fabric.connect(host.port(), leaf.port(1 + j), IbLinkProfile.PLAIN);
                hosts.add(host);
            }
        }
        firstLink = links.getFirst();
        settle();
        manager = new IbManager(hosts.getFirst(), SubnetOptions.DEFAULT);
    }

    /** Runs all that is due now. */
    private void settle() {
        while (loop.progress(nowNs)) {
            // more to do at this time
        }
    }

    /** Runs until the subnet is up after a number of sweeps; time passes only if something waits for it. */
    void awaitUp(int sweeps) {
        settle();
        for (int i = 0; i < MAX_SECONDS && !(manager.isUp() && manager.sweeps() >= sweeps); i++) {
            nowNs += SECOND_NS;
            settle();
        }
        if (!manager.isUp()) {
            throw new IllegalStateException("the subnet is not up after " + MAX_SECONDS + " s of its time");
        }
    }

    int sweeps() {
        return manager.sweeps();
    }

    long datagrams() {
        return manager.datagramsSent();
    }

    /** Sweeps again, though nothing has changed. */
    void sweep() {
        int before = sweeps();
        manager.sweep();
        awaitUp(before + 1);
    }

    /** Cuts a link between two switches, whose trap causes a sweep with other tables. */
    void cut() {
        int before = sweeps();
        fabric.exclusively(firstLink::unplug);
        awaitUp(before + 1);
    }

    /** Sends datagrams of 256 bytes between hosts at random; returns how many have arrived. */
    long send(int count) {
        long[] arrived = {0};
        ManagementListener listener = (_, _, _, _, qpn) -> {
            arrived[0] += qpn == GSI ? 1 : 0;
            return qpn == GSI;
        };
        List<IbDevice> receivers = hosts.subList(1, hosts.size());
        fabric.exclusively(() -> receivers.forEach(host -> host.agents().add(listener)));
        MemorySegment mad = MemorySegment.ofArray(new byte[Mad.BYTES]);
        Mad.write(mad, 0, MadClass.DEV_MGT, MadMethod.SEND.code(), 0, 1);
        SplittableRandom random = new SplittableRandom(1);
        for (int sent = 0; sent < count; sent += BATCH) {
            for (int i = 0; i < BATCH; i++) {
                IbDevice to = receivers.get(random.nextInt(receivers.size()));
                hosts.get(random.nextInt(hosts.size())).agents().sendGeneral(mad, to.lid(), GSI);
            }
            settle();
        }
        fabric.exclusively(() -> receivers.forEach(host -> host.agents().remove(listener)));
        return arrived[0];
    }

    @Override
    public void close() {
        manager.close();
        fabric.close();
        loop.close();
    }
}
