// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.base.Guid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.links.BondDevice;
import io.rdma4j.links.BondMode;
import io.rdma4j.links.BridgeDevice;
import io.rdma4j.links.VethDevice;
import io.rdma4j.links.VlanDevice;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.testing.conformance.harness.Capability;
import io.rdma4j.testing.conformance.harness.ConformanceTarget;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.Host;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Two hosts connected by two cables; their RoCE devices are above software links over the ends of the cables. */
final class StackedLink implements ConformanceTarget {
    private static final int MTU = 4500;
    private static final int QUEUE = 1024;

    private final NetHost leftNet = NetHost.create(NanoClock.SYSTEM);
    private final NetHost rightNet = NetHost.create(NanoClock.SYSTEM);
    private final List<VethDevice.Pair> cables =
            IntStream.range(0, 2).mapToObj(this::cable).toList();
    private final Host left;
    private final Host right;
    private final Context first;
    private final Context second;

    private interface Maker {
        /** Creates a device on two devices, which are down. */
        NetDevice on(NetHost net, NetDevice eth0, NetDevice eth1);
    }

    private StackedLink(Maker maker) {
        left = host(maker, leftNet, "::ffff:10.9.8.7");
        right = host(maker, rightNet, "::ffff:10.9.8.8");
        first = left.open("rxe0");
        second = right.open("rxe0");
    }

    private VethDevice.Pair cable(int number) {
        VethDevice.Pair pair = VethDevice.unregistered(
                VethDevice.end("eth" + number, 0, MTU, 0, List.of()),
                VethDevice.end("eth" + number, 0, MTU, 0, List.of()),
                QUEUE);
        leftNet.initial().register(pair.first());
        rightNet.initial().register(pair.second());
        return pair;
    }

    private Host host(Maker maker, NetHost net, String address) {
        boolean isLeft = net == leftNet;
        NetDevice device = maker.on(
                net,
                isLeft ? cables.get(0).first() : cables.get(0).second(),
                isLeft ? cables.get(1).first() : cables.get(1).second());
        device.ip().setGids(List.of(Gid.parse(address)));
        device.up();
        return OneDevice.host(
                new RxeDevice("rxe0", Guid.ofMac(device.macAddress()), () -> new RxePort(device, RxeOptions.DEFAULT)));
    }

    static StackedLink vlan() {
        return new StackedLink((net, eth0, eth1) -> {
            eth0.up();
            return net.initial()
                    .register(
                            VlanDevice.create(eth0, "eth0.5", EtherType.VLAN, 5).netDevice());
        });
    }

    static StackedLink bridge() {
        return new StackedLink((net, eth0, eth1) -> {
            NetDevice bridge = net.initial()
                    .register(BridgeDevice.create("br0", NanoClock.SYSTEM).netDevice());
            eth0.up();
            eth0.stack().enslave(bridge);
            return bridge;
        });
    }

    static StackedLink bond() {
        return new StackedLink((net, eth0, eth1) -> {
            NetDevice bond = net.initial()
                    .register(BondDevice.bond("bond0", BondMode.ACTIVE_BACKUP).netDevice());
            bond.setMtu(MTU);
            eth0.stack().enslave(bond);
            eth1.stack().enslave(bond);
            return bond;
        });
    }

    /** Disconnects a cable: both of its ends lose their carrier. */
    void cut(int cable) {
        cables.get(cable).first().setCarrier(false);
        cables.get(cable).second().setCarrier(false);
    }

    /** Packets that the first host has sent through a cable. */
    long sentBy(int cable) {
        return cables.get(cable).first().stats().txPackets();
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
        return Set.of(Capability.UNATTENDED_PROGRESS, Capability.SELF_TALK, Capability.CQ_RESIZE);
    }

    @Override
    public void close() {
        first.close();
        second.close();
        left.close();
        right.close();
        leftNet.unregister(leftNet.initial().devices());
        rightNet.unregister(rightNet.initial().devices());
    }
}
