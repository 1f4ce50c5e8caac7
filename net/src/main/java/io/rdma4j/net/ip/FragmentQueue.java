package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ecn;
import io.rdma4j.wire.Ipv4;
import io.rdma4j.wire.Ipv6;
import io.rdma4j.wire.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * One packet of which some pieces have arrived ({@code struct inet_frag_queue}): a buffer that they are copied to, and which ranges
 * of bytes are there.
 *
 * <p>A piece that is there already changes nothing. One that is there in part ends the whole packet (RFC 5722): somebody tries to
 * make a firewall see something else than the host.
 */
final class FragmentQueue {
    /** Pieces start at multiples of so many bytes. */
    static final int UNIT = 8;

    /** Where in the buffer the bytes are that may be cut; in front of them are their headers. */
    static final int PAYLOAD_AT = 256;

    /** Largest IP packet. */
    static final int MOST_BYTES = 0xFFFF;

    /** Longest header that a packet in pieces may have. */
    static final int MOST_HEADER_BYTES = 160;

    private static final int MOST_RANGES = 64;
    private static final int UNKNOWN = -1;

    private final int[] starts = new int[MOST_RANGES];
    private final int[] ends = new int[MOST_RANGES];
    private int ranges;
    private int total;
    private int headerBytes;
    private boolean congested;

    private @Nullable SkBuff buffer;
    private long deadlineNs = Deadline.NEVER;
    private boolean ipv4;
    private int identification;
    private long sourcePrefix;
    private long sourceInterfaceId;
    private long destinationPrefix;
    private long destinationInterfaceId;

    /** When it began, in turns of the {@link Reassembly}. */
    long turn;

    boolean isFree() {
        return buffer == null;
    }

    boolean isIpv4() {
        return ipv4;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    /** A packet of which {@code skb} is a piece begins; {@code into} becomes this one's. */
    void begin(SkBuff skb, int number, SkBuff into, long untilNs) {
        buffer = into;
        deadlineNs = untilNs;
        ranges = 0;
        total = UNKNOWN;
        headerBytes = UNKNOWN;
        congested = false;
        ipv4 = IpPacket.isIpv4(skb);
        identification = number;
        sourcePrefix = IpPacket.sourcePrefix(skb);
        sourceInterfaceId = IpPacket.sourceInterfaceId(skb);
        destinationPrefix = IpPacket.destinationPrefix(skb);
        destinationInterfaceId = IpPacket.destinationInterfaceId(skb);
    }

    /** True if {@code skb} is a piece of this packet. */
    boolean isOf(SkBuff skb, int number) {
        return buffer != null
                && identification == number
                && ipv4 == IpPacket.isIpv4(skb)
                && sourceInterfaceId == IpPacket.sourceInterfaceId(skb)
                && destinationInterfaceId == IpPacket.destinationInterfaceId(skb)
                && sourcePrefix == IpPacket.sourcePrefix(skb)
                && destinationPrefix == IpPacket.destinationPrefix(skb);
    }

    /**
     * Takes a piece over.
     *
     * @param header bytes of the header of the whole packet
     * @param skipped bytes of the piece in front of its part
     * @param start of its part in the whole, bytes
     * @return false if it does not fit the others: the packet cannot be put together
     */
    boolean add(SkBuff skb, int header, int skipped, int start, int length, boolean more) {
        SkBuff whole = buffer;
        int end = start + length;
        boolean isLast = !more;
        if (whole == null || total != UNKNOWN && (isLast ? end != total : end > total)) {
            return false;
        }
        if (isLast && ranges > 0 && ends[ranges - 1] > end) {
            return false;
        }
        if (!isThere(start, end)) {
            if (!insert(start, end)) {
                return false;
            }
            skb.copyBits(skipped, whole.memory(), PAYLOAD_AT + (long) start, length);
            if (start == 0) {
                takeHeader(skb, header, whole);
            }
        }
        congested |= Ecn.codepoint(skb.memory(), skb.networkHeader()) == Ecn.CE;
        total = isLast ? end : total;
        return true;
    }

    private boolean isThere(int start, int end) {
        for (int i = 0; i < ranges; i++) {
            if (start >= starts[i] && end <= ends[i]) {
                return true;
            }
        }
        return false;
    }

    /** Notes a range; false if it overlaps with others, or there are too many holes. */
    private boolean insert(int start, int end) {
        int at = 0;
        while (at < ranges && ends[at] <= start) {
            at++;
        }
        if (at < ranges && starts[at] < end) {
            return false;
        }
        boolean joinsBefore = at > 0 && ends[at - 1] == start;
        boolean joinsBehind = at < ranges && starts[at] == end;
        if (joinsBefore && joinsBehind) {
            ends[at - 1] = ends[at];
            move(at + 1, at);
        } else if (joinsBefore) {
            ends[at - 1] = end;
        } else if (joinsBehind) {
            starts[at] = start;
        } else if (ranges == MOST_RANGES) {
            return false;
        } else {
            move(at, at + 1);
            starts[at] = start;
            ends[at] = end;
        }
        return true;
    }

    /** Moves the ranges from one index on to another, and with them their number. */
    private void move(int from, int to) {
        System.arraycopy(starts, from, starts, to, ranges - from);
        System.arraycopy(ends, from, ends, to, ranges - from);
        ranges += to - from;
    }

    /** The first piece says what the header of the whole is; that of IPv6 loses its fragment header. */
    private void takeHeader(SkBuff skb, int header, SkBuff whole) {
        headerBytes = header;
        MemorySegment memory = whole.memory();
        int ip = PAYLOAD_AT - header;
        MemorySegment.copy(skb.memory(), skb.data(), memory, ip, header);
        whole.copyFields(skb);
        if (!ipv4) {
            int carried = Ipv6Fragment.nextHeader(skb.memory(), skb.data() + (long) header);
            memory.set(ValueLayout.JAVA_BYTE, ip + Ipv6Extensions.lastField(memory, ip, header), (byte) carried);
        }
    }

    boolean isComplete() {
        return total != UNKNOWN && ranges == 1 && starts[0] == 0 && ends[0] == total;
    }

    /** The complete packet, which becomes the caller's. */
    @Nullable
    SkBuff take() {
        SkBuff whole = position(total);
        if (whole == null) {
            return null;
        }
        MemorySegment memory = whole.memory();
        int ip = whole.data();
        if (ipv4) {
            Ipv4.totalLength(memory, ip, whole.len());
            Ipv4.fragment(memory, ip, 0);
            Ipv4.updateChecksum(memory, ip);
        } else {
            Ipv6.payloadLength(memory, ip, whole.len() - Ipv6.BYTES);
        }
        if (congested) {
            Ecn.mark(memory, ip);
        }
        return whole;
    }

    /** Gives the packet up; what there is of its beginning becomes the caller's, if there is any. */
    @Nullable
    SkBuff takeBeginning() {
        if (headerBytes == UNKNOWN) {
            drop();
            return null;
        }
        return position(ends[0]);
    }

    private @Nullable SkBuff position(int length) {
        SkBuff whole = buffer;
        if (whole != null) {
            whole.reserve(PAYLOAD_AT - headerBytes);
            whole.put(headerBytes + length);
            whole.setNetworkHeader(0);
        }
        buffer = null;
        deadlineNs = Deadline.NEVER;
        return whole;
    }

    /** Gives the packet up; nothing happens if there is none. */
    void drop() {
        SkBuff whole = buffer;
        buffer = null;
        deadlineNs = Deadline.NEVER;
        if (whole != null) {
            whole.free();
        }
    }
}
