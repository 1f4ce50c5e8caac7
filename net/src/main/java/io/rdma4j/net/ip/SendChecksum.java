package io.rdma4j.net.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.InternetChecksum;

/** The transport checksum of a packet that has no IP header yet; its data begin with the header that the checksum stands in, as 0. */
final class SendChecksum {
    private SendChecksum() {}

    /** Over the packet and the pseudo header of its addresses, 16 bits. */
    static int of(SkBuff skb, Gid source, Gid destination, int protocol) {
        int sum = add(add(0, source), destination);
        sum = InternetChecksum.add(InternetChecksum.add(sum, skb.len()), protocol);
        return InternetChecksum.of(skb.checksum(0, skb.len(), sum, InternetChecksum::add));
    }

    private static int add(int sum, Gid address) {
        int low = InternetChecksum.add(sum, (int) address.interfaceId());
        if (address.isIpv4()) {
            return low;
        }
        int more = InternetChecksum.add(low, (int) (address.interfaceId() >>> Integer.SIZE));
        more = InternetChecksum.add(more, (int) (address.prefix() >>> Integer.SIZE));
        return InternetChecksum.add(more, (int) address.prefix());
    }

    /** Over the packet alone, as ICMP of IPv4 has it. */
    static int of(SkBuff skb) {
        return InternetChecksum.of(skb.checksum(0, skb.len(), 0, InternetChecksum::add));
    }
}
