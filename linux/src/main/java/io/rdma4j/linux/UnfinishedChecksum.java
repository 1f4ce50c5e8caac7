// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.InternetChecksum;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Tcp;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Computes the checksum that Linux left to the network adapter, in a frame of this machine that passed no adapter
 * ({@code skb_checksum_help}). The frame contains the sum of the pseudo header in place of the UDP or TCP checksum.
 */
final class UnfinishedChecksum {
    private UnfinishedChecksum() {}

    /** Writes the checksum. A frame with another protocol, or one that is too short, stays unchanged. */
    static void finish(SkBuff frame) {
        MemorySegment memory = frame.memory();
        int at = frame.data() + Ethernet.BYTES;
        int left = frame.len() - Ethernet.BYTES;
        if (left < Ipv4.BYTES) {
            return;
        }
        if (Ipv4.version(memory, at) == Ipv4.VERSION) {
            int header = Ipv4.headerBytes(memory, at);
            int length = Math.min(Ipv4.totalLength(memory, at), left) - header;
            finish(memory, at + header, length, Ipv4.protocol(memory, at));
        } else if (left >= Ipv6.BYTES) {
            int length = Math.min(Ipv6.payloadLength(memory, at), left - Ipv6.BYTES);
            finish(memory, at + Ipv6.BYTES, length, Ipv6.nextHeader(memory, at));
        }
    }

    private static void finish(MemorySegment memory, int at, int length, int protocol) {
        if (protocol == Ipv4.PROTOCOL_UDP && length >= Udp.BYTES) {
            int sum = sum(memory, at, length);
            // 0 means that there is no checksum.
            Udp.checksum(memory, at, sum == 0 ? 0xFFFF : sum);
        } else if (protocol == Tcp.PROTOCOL && length >= Tcp.BYTES) {
            Tcp.checksum(memory, at, sum(memory, at, length));
        }
    }

    private static int sum(MemorySegment memory, int at, int length) {
        return InternetChecksum.of(InternetChecksum.add(0, memory, at, length, false));
    }
}
