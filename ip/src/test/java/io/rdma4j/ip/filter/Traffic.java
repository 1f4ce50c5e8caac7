// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.filter;

import io.rdma4j.base.Gid;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.net.skb.PacketHooks;
import io.rdma4j.packet.PacketDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** Packets between two hosts, and the hooks that they pass, for tests of this package. */
final class Traffic {
    static final Gid A = Gid.ofIpv4(0x0A000001);
    static final Gid B = Gid.ofIpv4(0x0A000002);
    static final Gid A6 = new Gid(0x2001_0DB8_0000_0000L, 1);
    static final Gid B6 = new Gid(0x2001_0DB8_0000_0000L, 2);
    static final PacketDevice ETH0 = device("eth0", 1);
    static final PacketDevice ETH1 = device("eth1", 2);

    private static final int ICMP = 1;
    private static final int ICMPV6 = 58;

    final SkBuffPool pool = new SkBuffPool(8, 256);
    final PacketHooks hooks = new PacketHooks();

    private static PacketDevice device(String name, int ifindex) {
        return new PacketDevice() {
            @Override
            public int ifindex() {
                return ifindex;
            }

            @Override
            public String name() {
                return name;
            }
        };
    }

    SkBuff udp(Gid from, int fromPort, Gid to, int toPort) {
        return at(Packets.udp(pool, from, fromPort, to, toPort, new byte[16]), from.isIpv4());
    }

    private static SkBuff at(SkBuff skb, boolean v4) {
        skb.meta().protocol(v4 ? EtherType.IPV4 : EtherType.IPV6);
        skb.setNetworkHeader(0);
        return skb;
    }

    /** Returns an ICMP message; {@code id} is at the position of an echo's identifier. */
    SkBuff icmp(Gid from, Gid to, int type, int id) {
        SkBuff skb = udp(from, 0, to, 0);
        boolean v4 = from.isIpv4();
        int protocolAt = v4 ? 9 : 6;
        int header = skb.data() + (v4 ? 20 : 40);
        MemorySegment memory = skb.memory();
        memory.set(ValueLayout.JAVA_BYTE, skb.data() + (long) protocolAt, (byte) (v4 ? ICMP : ICMPV6));
        memory.set(ValueLayout.JAVA_BYTE, header, (byte) type);
        memory.set(ValueLayout.JAVA_BYTE, header + 4L, (byte) (id >>> 8));
        memory.set(ValueLayout.JAVA_BYTE, header + 5L, (byte) id);
        return skb;
    }

    /** Returns an ICMP error from {@code from} about {@code packet}, which is freed. */
    SkBuff error(Gid from, Gid to, int type, SkBuff packet) {
        SkBuff skb = icmp(from, to, type, 0);
        skb.trim(skb.len() - 16);
        MemorySegment.copy(packet.memory(), packet.data(), skb.memory(), skb.put(packet.len()), packet.len());
        packet.free();
        return skb;
    }

    boolean pass(HookPoint point, SkBuff skb, @Nullable PacketDevice in, @Nullable PacketDevice out) {
        return hooks.pass(point, skb, in, out);
    }
}
