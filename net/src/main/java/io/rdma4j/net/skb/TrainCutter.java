// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Cuts a linear train of UDP datagrams, which a link has merged, into single datagrams in place
 * ({@code udp_rcv_segment}). It copies the train's headers in front of each datagram, over the end of the one before,
 * which is no longer needed.
 *
 * <p>The IPv4 identification is incremented for each datagram, as in every segmentation. For one thread. Allocates
 * nothing.
 */
public final class TrainCutter {
    private static final int ID_MASK = 0xFFFF;

    private int size;
    private int end;
    private int next;
    private int headerBytes;
    private int number;

    /** Creates it without a train. */
    public TrainCutter() {}

    /**
     * Begins with a train; {@link #next} turns the buffer into its first datagram.
     *
     * @param train data begin after the UDP header; network and transport header are set; the GSO fields are cleared
     */
    public void begin(SkBuff train) {
        size = train.shinfo().gsoSize();
        end = train.tail();
        next = train.data();
        headerBytes = next - train.networkHeader();
        number = 0;
        train.shinfo().gso(0, 0);
    }

    /**
     * Turns the buffer into the next datagram with its own headers. The receiver of the last one may have trimmed it.
     *
     * @param skb the buffer that was passed to {@link #begin}
     * @return false if there are no more datagrams
     */
    public boolean next(SkBuff skb) {
        if (next >= end) {
            return false;
        }
        int length = Math.min(size, end - next);
        MemorySegment memory = skb.memory();
        int ip = next - headerBytes;
        if (number > 0) {
            MemorySegment.copy(memory, skb.networkHeader(), memory, ip, headerBytes);
            skb.trim(0);
            skb.put(next - skb.data());
            skb.pull(skb.len());
            skb.put(length);
            skb.setNetworkHeader(-headerBytes);
            skb.setTransportHeader(-Udp.BYTES);
        } else {
            skb.trim(length);
        }
        Udp.length(memory, next - Udp.BYTES, length + Udp.BYTES);
        if (Ipv4.version(memory, ip) == Ipv4.VERSION) {
            Ipv4.totalLength(memory, ip, headerBytes + length);
            if (number > 0) {
                Ipv4.identification(memory, ip, Ipv4.identification(memory, ip) + 1 & ID_MASK);
            }
            Ipv4.updateChecksum(memory, ip);
        } else {
            Ipv6.payloadLength(memory, ip, headerBytes - Ipv6.BYTES + length);
        }
        next += length;
        number++;
        return true;
    }
}
