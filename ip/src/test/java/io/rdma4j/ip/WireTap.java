// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A link of IP packets that records the packets sent over it. */
final class WireTap implements NetDeviceOps {
    /** Sent packets, oldest first. */
    final List<byte[]> packets = new ArrayList<>();

    final List<Integer> priorities = new ArrayList<>();
    final List<Boolean> localDf = new ArrayList<>();

    /** Number of references to the route when the packet was sent. */
    final List<Integer> routeReferences = new ArrayList<>();

    final NetDevice device;
    boolean busy;

    WireTap(String name, int ifindex, int mtu, String... addresses) {
        device = NetHost.standalone(device(name, ifindex, mtu));
        bringUp(addresses);
    }

    /** Creates the device on an existing host. */
    WireTap(NetNamespace namespace, String name, int ifindex, int mtu, String... addresses) {
        device = namespace.register(device(name, ifindex, mtu));
        bringUp(addresses);
    }

    private NetDevice device(String name, int ifindex, int mtu) {
        return new NetDevice(new NetDeviceSetup(name, ifindex, mtu, 0, List.of(), FeatureSet.NONE), this);
    }

    private void bringUp(String... addresses) {
        device.ip().set(Arrays.stream(addresses).map(InterfaceAddress::parse).toList());
        device.up();
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        if (busy) {
            return NetdevTx.BUSY;
        }
        packets.add(Packets.bytes(skb));
        priorities.add(skb.meta().priority());
        localDf.add(skb.meta().localDf());
        var route = skb.meta().dst();
        routeReferences.add(route == null ? 0 : route.references());
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        return null;
    }

    /** The packet that was sent last. */
    MemorySegment last() {
        return MemorySegment.ofArray(packets.getLast());
    }

    static Gid ip(String address) {
        return Gid.parse(address);
    }
}
