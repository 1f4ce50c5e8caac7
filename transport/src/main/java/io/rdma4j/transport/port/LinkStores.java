// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.local.KeyPage;
import io.rdma4j.base.local.LinkRing;
import io.rdma4j.base.local.PeerMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Stores the payload of WRITEs into the memory of the consumer of a link ring: the posting thread executes them, and no
 * thread of the peer takes part. The peer learns from the counts in the ring how many there were. Guarded by the lock
 * of the link.
 */
final class LinkStores {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final int WORD_MASK = Long.BYTES - 1;

    private final LinkRingWords words;
    private final PeerMemory peer;

    /** Counts since the memory of the ring exists. */
    private long messages;

    private long packets;
    private long bytes;

    LinkStores(LinkRingWords words, PeerMemory peer) {
        this.words = words;
        this.peer = peer;
    }

    /** Number of stored messages since the memory of the ring exists. */
    long messages() {
        return messages;
    }

    /**
     * Stores a message. The consumer has executed all messages before it. One long method, which the compiler does not
     * inline into the code of messages for the ring.
     *
     * @param epoch of the ring
     * @return false if the message has to be sent another way; some bytes may have been stored
     * @throws IllegalStateException if memory on either side was closed
     */
    boolean store(LinkMessage message, long epoch) {
        int length = message.length;
        long storable = words.getAcquire(LinkRing.STORABLE);
        MemorySegment keys = storable >>> Integer.SIZE == epoch && (int) storable != 0 ? peer.keys() : null;
        int domain = (int) storable;
        if (keys == null || !isCutAlike(message) || length > 0 && !KeyPage.has(keys, domain, message.rkey)) {
            return false;
        }
        words.setVolatile(LinkRing.STORING, 1L);
        VarHandle.fullFence();
        try {
            if (isClosed(epoch)) {
                return false;
            }
            if (length > 0) {
                long entry = KeyPage.entry(message.rkey);
                long at = KeyPage.has(keys, domain, message.rkey)
                        ? KeyPage.offset(keys, entry, message.address, length)
                        : -1;
                MemorySegment target = at < 0 ? null : peer.segment(KeyPage.segment(keys, entry));
                // The peer is not trusted.
                if (target == null || at > target.byteSize() - length) {
                    return false;
                }
                move(message.memory, message.offset, target, at, length);
            }
            if (isClosed(epoch)) {
                return false;
            }
            messages++;
            packets += message.packets;
            bytes += length;
            words.set(LinkRing.STORED_MESSAGES, messages);
            words.set(LinkRing.STORED_BYTES, bytes);
            words.setRelease(LinkRing.STORED_PACKETS, packets);
            return true;
        } finally {
            words.setRelease(LinkRing.STORING, 0L);
        }
    }

    /** True if a message has as many packets as the consumer expects by its path MTU. */
    private boolean isCutAlike(LinkMessage message) {
        long mtu = words.get(LinkRing.MTU);
        return message.length <= message.packets * mtu && message.length > (message.packets - 1) * mtu
                || message.length == 0;
    }

    private boolean isClosed(long epoch) {
        return words.getAcquire(LinkRing.CLOSED) == epoch;
    }

    /** Copies a payload so that a program that sees its last byte, or its last aligned word, sees all others. */
    private static void move(MemorySegment source, long from, MemorySegment target, long to, int length) {
        if (length >= Long.BYTES && (to + length & WORD_MASK) == 0) {
            int before = length - Long.BYTES;
            MemorySegment.copy(source, from, target, to, before);
            long last = source.get(ValueLayout.JAVA_LONG_UNALIGNED, from + before);
            LONG.setRelease(target, to + before, last);
        } else {
            int before = length - 1;
            MemorySegment.copy(source, from, target, to, before);
            BYTE.setRelease(target, to + before, source.get(ValueLayout.JAVA_BYTE, from + before));
        }
    }
}
