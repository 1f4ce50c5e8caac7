// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.NanoClock;
import io.rdma4j.ip.neighbour.StackChanges;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Ipv6Fragment;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reassembles fragmented packets ({@code ip_defrag}, {@code ipv6_frag_rcv}); each {@link FragmentQueue} holds one
 * incomplete packet.
 *
 * <p>Fragments are copied and freed at once, so that a sender of many fragments cannot exhaust a device's buffers. The
 * number of queues is fixed; a further packet replaces the oldest one. The memory is allocated when the first fragment
 * arrives. Belongs to the owner of the stack's loop.
 */
final class Reassembly implements AutoCloseable {
    /** Maximum time between the first and the last fragment ({@code ipfrag_time}; RFC 8200, 4.5). */
    private static final long IPV4_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private static final long IPV6_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int BUFFER_BYTES = FragmentQueue.PAYLOAD_AT + FragmentQueue.MOST_BYTES;

    private final FragmentQueue[] queues;
    private final SnmpCounters counters;
    private final IcmpSender icmp;
    private final NanoClock clock;
    private final StackChanges changes;
    private @Nullable SkBuffPool pool;
    private long turn;

    /**
     * @param bytes maximum memory of incomplete packets
     * @param changes noted when {@link #nextDeadlineNs} is earlier than before
     */
    Reassembly(int bytes, SnmpCounters counters, IcmpSender icmp, NanoClock clock, StackChanges changes) {
        this.queues = new FragmentQueue[Math.max(1, bytes / BUFFER_BYTES)];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new FragmentQueue();
        }
        this.counters = counters;
        this.icmp = icmp;
        this.clock = clock;
        this.changes = changes;
    }

    /**
     * Adds a fragment of an IPv4 packet, which begins with its IP header; takes ownership of it.
     *
     * @return the packet if it is complete now, else null
     */
    @Nullable
    SkBuff addIpv4(SkBuff skb, int headerBytes) {
        MemorySegment memory = skb.memory();
        int ip = skb.data();
        int identification = Ipv4.identification(memory, ip) | Ipv4.protocol(memory, ip) << Short.SIZE;
        boolean more = (Ipv4.fragment(memory, ip) & Ipv4.MORE_FRAGMENTS) != 0;
        return add(skb, identification, headerBytes, headerBytes, Ipv4.fragmentOffset(memory, ip), more);
    }

    /**
     * Adds a fragment of an IPv6 packet, which begins with its IP header; takes ownership of it.
     *
     * @param at bytes in front of the fragment header, which must be complete
     * @return the packet without fragment header if it is complete now, else null
     */
    @Nullable
    SkBuff addIpv6(SkBuff skb, int at) {
        MemorySegment memory = skb.memory();
        long header = skb.data() + (long) at;
        int offset = Ipv6Fragment.fragmentOffset(memory, header);
        boolean more = Ipv6Fragment.isMore(memory, header);
        int identification = Ipv6Fragment.identification(memory, header);
        return add(skb, identification, at, at + Ipv6Fragment.BYTES, offset, more);
    }

    /**
     * @param headerBytes bytes in front of the fragmentable part
     * @param skipped bytes in front of the fragment's data: the header, with the fragment header of IPv6
     * @param units offset of the data in the whole packet, in units of eight bytes
     */
    private @Nullable SkBuff add(
            SkBuff skb, int identification, int headerBytes, int skipped, int units, boolean more) {
        boolean isIpv4 = IpPacket.isIpv4(skb);
        counters.count(isIpv4, SnmpCounter.REASM_REQDS);
        int length = skb.len() - skipped;
        boolean fits = headerBytes <= FragmentQueue.MOST_HEADER_BYTES
                && length > 0
                && (!more || length % FragmentQueue.UNIT == 0)
                && units * FragmentQueue.UNIT + length <= FragmentQueue.MOST_BYTES - headerBytes;
        FragmentQueue queue = fits ? find(skb, identification, isIpv4) : null;
        SkBuff whole = null;
        if (queue == null) {
            counters.count(isIpv4, SnmpCounter.REASM_FAILS);
        } else if (!queue.add(skb, headerBytes, skipped, units * FragmentQueue.UNIT, length, more)) {
            counters.count(isIpv4, SnmpCounter.REASM_FAILS);
            queue.drop();
        } else if (queue.isComplete()) {
            counters.count(isIpv4, SnmpCounter.REASM_OKS);
            whole = queue.take();
        }
        skb.free();
        return whole;
    }

    private @Nullable FragmentQueue find(SkBuff skb, int identification, boolean isIpv4) {
        FragmentQueue free = null;
        FragmentQueue oldest = queues[0];
        for (FragmentQueue queue : queues) {
            if (queue.isOf(skb, identification)) {
                return queue;
            }
            if (queue.isFree()) {
                free = queue;
            } else if (queue.turn < oldest.turn) {
                oldest = queue;
            }
        }
        if (free == null) {
            counters.count(oldest.isIpv4(), SnmpCounter.REASM_FAILS);
            oldest.drop();
            free = oldest;
        }
        SkBuff buffer = pool().allocate();
        if (buffer == null) {
            return null;
        }
        long timeoutNs = isIpv4 ? IPV4_TIMEOUT_NS : IPV6_TIMEOUT_NS;
        free.begin(skb, identification, buffer, Deadline.after(clock.nanoTime(), timeoutNs));
        free.turn = ++turn;
        changes.note();
        return free;
    }

    /** Has twice as many buffers as there are queues, for complete packets that wait in receive queues. */
    private SkBuffPool pool() {
        SkBuffPool known = pool;
        if (known == null) {
            known = new SkBuffPool(2 * queues.length, BUFFER_BYTES);
            pool = known;
        }
        return known;
    }

    long nextDeadlineNs() {
        long next = Deadline.NEVER;
        if (pool != null) {
            for (FragmentQueue queue : queues) {
                next = Deadline.earlier(next, queue.deadlineNs());
            }
        }
        return next;
    }

    /**
     * Drops packets that are not complete in time. Sends an ICMP error if the first fragment has arrived ({@code
     * ip_expire}).
     */
    void onTimeout(long nowNs) {
        for (FragmentQueue queue : queues) {
            if (Deadline.isDue(queue.deadlineNs(), nowNs)) {
                counters.count(queue.isIpv4(), SnmpCounter.REASM_TIMEOUT);
                counters.count(queue.isIpv4(), SnmpCounter.REASM_FAILS);
                SkBuff beginning = queue.takeBeginning();
                if (beginning != null) {
                    icmp.sendError(beginning, IcmpError.REASSEMBLY_TIMEOUT, 0);
                    beginning.free();
                }
            }
        }
    }

    /** Number of buffers in use. */
    int inUse() {
        SkBuffPool known = pool;
        return known == null ? 0 : known.count() - known.available();
    }

    @Override
    public void close() {
        for (FragmentQueue queue : queues) {
            queue.drop();
        }
        SkBuffPool known = pool;
        if (known != null) {
            known.close();
        }
    }
}
