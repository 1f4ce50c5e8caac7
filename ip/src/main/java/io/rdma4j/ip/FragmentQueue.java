// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ecn;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6;
import io.rdma4j.wire.ip.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * One packet whose fragments are arriving ({@code struct inet_frag_queue}): a buffer that they are copied to, and the
 * ranges of bytes that have arrived.
 *
 * <p>A complete duplicate changes nothing. A fragment that overlaps partly with others ends the whole packet (RFC
 * 5722). Otherwise an attacker could show different data to a firewall and to the host.
 */
final class FragmentQueue {
    /** Fragments start at multiples of this many bytes. */
    static final int UNIT = 8;

    /** Offset of the fragmentable part in the buffer, bytes; the headers are in front of it. */
    static final int PAYLOAD_AT = 256;

    /** Maximum length of an IP packet, bytes. */
    static final int MOST_BYTES = 0xFFFF;

    /** Maximum length of the headers of a fragmented packet, bytes. */
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

    /** Value of the counter of {@link Reassembly} at the first fragment. */
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

    /** Begins a packet of which {@code skb} is a fragment; takes ownership of {@code into}. */
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

    /** True if {@code skb} is a fragment of this packet. */
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
     * Copies a fragment into the buffer.
     *
     * @param header bytes of the header of the whole packet
     * @param skipped bytes of {@code skb} in front of the fragment's data
     * @param start offset of the data in the whole packet, bytes
     * @return false if the fragment contradicts others: the packet cannot be reassembled
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

    /** Adds a range; false if it overlaps with others, or there are too many holes. */
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

    /** Moves the ranges from one index to another, and changes their number by the distance. */
    private void move(int from, int to) {
        System.arraycopy(starts, from, starts, to, ranges - from);
        System.arraycopy(ends, from, ends, to, ranges - from);
        ranges += to - from;
    }

    /** Copies the header of the first fragment as that of the whole packet, for IPv6 without the fragment header. */
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

    /** Returns the complete packet, which then belongs to the caller. */
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

    /**
     * Ends the packet. Returns what has arrived of its beginning, which then belongs to the caller; null if there is
     * none.
     */
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

    /** Ends the packet and frees its buffer; does nothing if there is none. */
    void drop() {
        SkBuff whole = buffer;
        buffer = null;
        deadlineNs = Deadline.NEVER;
        if (whole != null) {
            whole.free();
        }
    }
}
