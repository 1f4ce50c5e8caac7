// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ib;

import io.rdma4j.base.NanoClock;
import io.rdma4j.fabric.IbLink;
import io.rdma4j.fabric.IbLinkProfile;
import io.rdma4j.fabric.IbSwitch;
import io.rdma4j.loop.NetLoop;
import io.rdma4j.loop.ProgressMode;
import io.rdma4j.sm.SubnetOptions;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Two hosts with one device each on a subnet that a manager at the first device has configured. */
final class SubnetTarget implements ConformanceTarget {
    static final int GROUP = 0xC001;
    static final long FIRST_GUID = 0x0002_C903_0000_0010L;
    static final long SECOND_GUID = 0x0002_C903_0000_0020L;
    private static final long SWITCH_GUID = 0x0002_C903_0001_0000L;

    final NetLoop loop = new NetLoop(NanoClock.SYSTEM, ProgressMode.AUTOMATIC);
    final IbFabric fabric = new IbFabric(loop);
    final IbDevice firstDevice = fabric.newDevice("ib0", FIRST_GUID);
    final IbDevice secondDevice = fabric.newDevice("ib1", SECOND_GUID);
    final List<IbSwitch> switches = new ArrayList<>();
    final List<IbLink> links = new ArrayList<>();
    final IbManager manager;

    private final IbLinkProfile profile;
    private final boolean usesGlobalRoutes;
    private final Host firstHost = host(firstDevice);
    private final Host secondHost = host(secondDevice);
    private final Context first;
    private final Context second;

    private SubnetTarget(IbLinkProfile profile, int spines, int lmc, boolean usesGlobalRoutes) {
        this.profile = profile;
        this.usesGlobalRoutes = usesGlobalRoutes;
        loop.start("subnet");
        IbSwitch leaf = newSwitch();
        link(firstDevice, leaf, 1);
        if (spines == 0) {
            link(secondDevice, leaf, 2);
        } else {
            addSpines(spines, leaf);
        }
        manager = new IbManager(secondDevice, SubnetOptions.DEFAULT.lmc(lmc));
        manager.group(GROUP, Set.of(FIRST_GUID + 1, SECOND_GUID + 1));
        await("the sweep", manager::isUp);
        first = firstHost.open("ib0");
        second = secondHost.open("ib1");
    }

    /** The subnet that the property {@code ib.subnet} names: switch, wire or spines. */
    static SubnetTarget open() {
        return switch (System.getProperty("ib.subnet", "switch")) {
            case "wire" -> overWire();
            case "spines" -> overSpines();
            default -> overSwitch();
        };
    }

    /** As {@link #open}; all paths have a global route. */
    static SubnetTarget routed() {
        boolean isSwitch = System.getProperty("ib.subnet", "switch").equals("switch");
        return isSwitch ? new SubnetTarget(IbLinkProfile.PLAIN, 0, 0, true) : open();
    }

    /** One switch and links that cost nothing. */
    static SubnetTarget overSwitch() {
        return new SubnetTarget(IbLinkProfile.PLAIN, 0, 0, false);
    }

    /** One switch and wire links of 4x SDR with 16 KiB for each lane. */
    static SubnetTarget overWire() {
        return new SubnetTarget(IbLinkProfile.wire(100, 256), 0, 0, true);
    }

    /** Two leaves and two spines, two LIDs a port. */
    static SubnetTarget overSpines() {
        return new SubnetTarget(IbLinkProfile.PLAIN, 2, 1, true);
    }

    private void addSpines(int spines, IbSwitch leaf) {
        IbSwitch other = newSwitch();
        link(secondDevice, other, 1);
        for (int i = 0; i < spines; i++) {
            IbSwitch spine = newSwitch();
            links.add(fabric.connect(leaf.port(2 + i), spine.port(1), profile));
            links.add(fabric.connect(other.port(2 + i), spine.port(2), profile));
        }
    }

    private IbSwitch newSwitch() {
        IbSwitch node = fabric.newSwitch("switch" + (switches.size() + 1), SWITCH_GUID + switches.size(), 4);
        switches.add(node);
        return node;
    }

    private void link(IbDevice device, IbSwitch node, int port) {
        links.add(fabric.connect(device.port(), node.port(port), profile));
    }

    private static Host host(IbDevice device) {
        Host host = Host.create("host of " + device.name());
        host.register(new IbProvider(List.of(device)));
        return host;
    }

    /** Takes the events that have been raised so far. */
    static void drain(Context context) {
        try {
            AsyncEvent event = context.getAsyncEvent(Duration.ZERO);
            while (event != null) {
                context.acknowledgeAsyncEvent(event);
                event = context.getAsyncEvent(Duration.ZERO);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean usesGlobalRoutes() {
        return usesGlobalRoutes;
    }

    @Override
    public int groupLid() {
        return GROUP;
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
        return Set.of(
                Capability.UNATTENDED_PROGRESS, Capability.SELF_TALK, Capability.CQ_RESIZE, Capability.REREGISTRATION);
    }

    @Override
    public void close() {
        manager.close();
        first.close();
        second.close();
        firstHost.close();
        secondHost.close();
        fabric.close();
        loop.close();
    }
}
