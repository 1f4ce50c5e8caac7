// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.net.receive.ReceiveHandler;
import io.rdma4j.net.skb.PacketChecksum;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Icmpv6;
import io.rdma4j.wire.ip.Igmp;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Mld;
import java.util.concurrent.TimeUnit;

/**
 * Receives queries of routers and reports of other stations about multicast groups: IGMP ({@code igmp_rcv}) and MLD.
 */
final class GroupInput implements ReceiveHandler {
    private static final long TENTH_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LINK_LOCAL = 0xFE80L << 48;

    /** Response time of an IGMPv1 query, which has none in its header, 0.1 s ({@code IGMP_QUERY_RESPONSE_INTERVAL}). */
    private static final int TENTHS_V1 = 100;

    private final Interfaces interfaces;
    private long malformed;

    GroupInput(Interfaces interfaces) {
        this.interfaces = interfaces;
    }

    /** Number of malformed messages. */
    long malformed() {
        return malformed;
    }

    /** Receives an IGMP message. */
    @Override
    public void receive(SkBuff skb) {
        IpInterface in = interfaces.of(skb.meta().device());
        if (in == null || skb.headLen() < Igmp.BYTES || !PacketChecksum.validateSimple(skb)) {
            malformed++;
        } else {
            int type = Igmp.type(skb.memory(), skb.data());
            int group = Igmp.group(skb.memory(), skb.data());
            if (type == Igmp.QUERY) {
                int tenths = Igmp.responseTenths(skb.memory(), skb.data(), skb.len());
                boolean older = skb.len() < Igmp.QUERY_V3_BYTES;
                long withinNs = (tenths == 0 && older ? TENTHS_V1 : tenths) * TENTH_NS;
                in.groups().onQuery(true, 0, group == 0 ? 0 : IpPacket.mapped(group), withinNs, older);
            } else if (type == Igmp.REPORT_V2) {
                in.groups().onReport(true, 0, IpPacket.mapped(group));
            }
        }
        skb.free();
    }

    static boolean isMld(int type) {
        return type == Mld.QUERY || type == Mld.REPORT_V1 || type == Mld.DONE || type == Mld.REPORT_V2;
    }

    /** Receives an MLD message, which must come from a link-local address. */
    void receiveMld(SkBuff skb) {
        IpInterface in = interfaces.of(skb.meta().device());
        int ip = skb.networkHeader();
        boolean isValid = in != null
                && skb.headLen() >= Mld.BYTES
                && Ipv6.hopLimit(skb.memory(), ip) == 1
                && Ipv6.sourcePrefix(skb.memory(), ip) == LINK_LOCAL
                && PacketChecksum.validate(skb, Icmpv6.NEXT_HEADER);
        if (!isValid || in == null) {
            malformed++;
        } else {
            long prefix = Mld.groupPrefix(skb.memory(), skb.data());
            long interfaceId = Mld.groupInterfaceId(skb.memory(), skb.data());
            int type = Icmpv6.type(skb.memory(), skb.data());
            if (type == Mld.QUERY) {
                int withinMs = Mld.responseMs(skb.memory(), skb.data(), skb.len());
                boolean older = skb.len() < Mld.QUERY_V2_BYTES;
                in.groups().onQuery(false, prefix, interfaceId, TimeUnit.MILLISECONDS.toNanos(withinMs), older);
            } else if (type == Mld.REPORT_V1) {
                in.groups().onReport(false, prefix, interfaceId);
            }
        }
        skb.free();
    }
}
