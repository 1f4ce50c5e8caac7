// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.InternetChecksum;

/**
 * Computes the transport checksum of a packet without an IP header. The packet's data begin with the transport header,
 * whose checksum field is 0.
 */
final class SendChecksum {
    private SendChecksum() {}

    /** Checksum of the packet and the pseudo header of its addresses, 16 bits. */
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

    /** Checksum of the packet alone, for ICMP of IPv4. */
    static int of(SkBuff skb) {
        return InternetChecksum.of(skb.checksum(0, skb.len(), 0, InternetChecksum::add));
    }
}
