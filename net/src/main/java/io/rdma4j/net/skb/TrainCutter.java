package io.rdma4j.net.skb;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Udp;
import java.lang.foreign.MemorySegment;

/**
 * Makes a linear train of UDP datagrams, as a link has merged it, one datagram after the other again, in place ({@code udp_rcv_segment}): the headers of
 * the train are put in front of each, over the end of the one before it, whose bytes are not needed any more.
 *
 * <p>Whoever cuts a train counts the IPv4 identification up, so it counts up here. For one thread; allocates nothing.
 */
public final class TrainCutter {
    private static final int ID_MASK = 0xFFFF;

    private int size;
    private int end;
    private int next;
    private int headerBytes;
    private int number;

    /** With no train yet. */
    public TrainCutter() {}

    /**
     * Begins with a train; {@link #next} makes its first datagram of it.
     *
     * @param train data start behind the UDP header; network and transport header are set; it is no train any more
     */
    public void begin(SkBuff train) {
        size = train.gsoSize();
        end = train.tail();
        next = train.data();
        headerBytes = next - train.networkHeader();
        number = 0;
        train.gso(0, 0);
    }

    /**
     * Makes the buffer the next datagram, behind headers of its own. Whoever had the one before may have trimmed it.
     *
     * @param skb the train that it began with
     * @return false if there is no other one
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
