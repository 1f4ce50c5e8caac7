// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.neighbour.ControlPackets;
import io.rdma4j.ip.neighbour.OwnAddresses;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.address.AddressScope;
import io.rdma4j.net.address.InterfaceAddress;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.GroupRecord;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Igmp;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Mld;
import java.lang.foreign.MemorySegment;

/**
 * Sends a device's reports and leave messages about multicast groups ({@code igmp_send_report}, {@code igmp6_send}).
 * The packets go one hop and have the router alert option.
 */
final class GroupMessages {
    private static final Gid ROUTERS = Gid.parse("224.0.0.2");
    private static final Gid REPORTS = Gid.parse("224.0.0.22");
    private static final Gid ROUTERS_IPV6 = Gid.parse("ff02::2");
    private static final Gid REPORTS_IPV6 = Gid.parse("ff02::16");

    /** "Internetwork control", as in all routing protocols. */
    private static final int TYPE_OF_SERVICE = 0xC0;

    private final NetDevice device;
    private final OwnAddresses own;
    private final ControlPackets packets;

    GroupMessages(NetDevice device, OwnAddresses own, ControlPackets packets) {
        this.device = device;
        this.own = own;
        this.packets = packets;
    }

    /**
     * Reports that this host is a member of a group.
     *
     * @param record of {@link GroupRecord}
     * @param older true for IGMPv2 and MLDv1
     */
    void sendReport(Gid group, int record, boolean older) {
        if (group.isIpv4()) {
            sendIgmp(older ? group : REPORTS, older ? Igmp.REPORT_V2 : record, group, older);
        } else {
            sendMld(older ? group : REPORTS_IPV6, older ? Mld.REPORT_V1 : record, group, older);
        }
    }

    /** Reports that this host is no longer a member of a group. */
    void sendLeave(Gid group, boolean older) {
        if (group.isIpv4()) {
            sendIgmp(older ? ROUTERS : REPORTS, older ? Igmp.LEAVE : GroupRecord.LEAVES, group, older);
        } else {
            sendMld(older ? ROUTERS_IPV6 : REPORTS_IPV6, older ? Mld.DONE : GroupRecord.LEAVES, group, older);
        }
    }

    private void sendIgmp(Gid to, int type, Gid group, boolean older) {
        int length = older ? Igmp.BYTES : Igmp.REPORT_V3_BYTES;
        int header = Ipv4.BYTES + Ipv4.ROUTER_ALERT_BYTES;
        SkBuff skb = packets.allocate(header + length);
        if (skb == null) {
            return;
        }
        MemorySegment memory = skb.memory();
        int ip = skb.data();
        Gid source = own.first(true);
        int from = source == null ? 0 : source.ipv4();
        Ipv4.write(memory, ip, header + length, 0, TYPE_OF_SERVICE, 1, Igmp.PROTOCOL, from, to.ipv4());
        Ipv4.alertRouters(memory, ip);
        if (older) {
            Igmp.write(memory, ip + (long) header, type, group.ipv4());
        } else {
            Igmp.writeReport(memory, ip + (long) header, type, group.ipv4());
        }
        packets.send(skb, EtherType.IPV4, device.link().format().ofGroup(to));
    }

    private void sendMld(Gid to, int type, Gid group, boolean older) {
        int length = older ? Mld.BYTES : Mld.REPORT_V2_BYTES;
        int header = Ipv6.BYTES + Ipv6.ROUTER_ALERT_BYTES;
        SkBuff skb = packets.allocate(header + length);
        if (skb == null) {
            return;
        }
        MemorySegment memory = skb.memory();
        int ip = skb.data();
        int at = ip + header;
        Gid source = linkLocal();
        Ipv6.write(
                memory,
                ip,
                0,
                0,
                Ipv6.ROUTER_ALERT_BYTES + length,
                Ipv6.NEXT_HEADER_HOP_BY_HOP,
                1,
                source.prefix(),
                source.interfaceId(),
                to.prefix(),
                to.interfaceId());
        Ipv6.writeRouterAlert(memory, ip + (long) Ipv6.BYTES, Icmpv6.NEXT_HEADER);
        if (older) {
            Mld.write(memory, at, type, group.prefix(), group.interfaceId());
        } else {
            Mld.writeReport(memory, at, type, group.prefix(), group.interfaceId());
        }
        Icmpv6.updateChecksum(memory, ip, at, length);
        packets.send(skb, EtherType.IPV6, device.link().format().ofGroup(to));
    }

    /** Returns a link-local address, since routers accept only those; the unspecified address if there is none. */
    private Gid linkLocal() {
        for (InterfaceAddress address : device.ip().list()) {
            if (!address.address().isIpv4() && address.scope() == AddressScope.LINK) {
                return address.address();
            }
        }
        return Gid.ZERO;
    }
}
