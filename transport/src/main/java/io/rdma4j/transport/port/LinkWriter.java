// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.base.local.PeerMemory;
import io.rdma4j.transport.memory.ShortCopy;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;

/**
 * The producer of a link ring, see {@link LinkRing}. It exists as long as the memory of the ring, and queue pairs use
 * it one after another: each begins an epoch. Guarded by the lock of the link that uses it, unless a method states
 * otherwise.
 */
public final class LinkWriter {
    private static final int MASK = LinkRing.SLOTS - 1;

    private final MemorySegment ring;
    private final LinkRingWords words;
    private final LinkStores stores;

    /** The PSN after each message, and the end of its payload in the data. */
    private final int[] nextPsns = new int[LinkRing.SLOTS];

    private final long[] dataEnds = new long[LinkRing.SLOTS];

    private long epoch;

    /** Position of the first message of the epoch, of the next one, and up to which the consumer has executed them. */
    private long start;

    private long head;
    private long released;

    /** The consumer has violated the format. */
    private boolean broken;

    /** Number of stored messages before the epoch. */
    private long storesBefore;

    /** Bytes of data that were used in the epoch, and those of them that are free again. */
    private long dataHead;

    private long dataFree;

    /**
     * Creates a producer that has no epoch yet.
     *
     * @param ring {@link LinkRing#BYTES} of memory that was filled with zeros, at a multiple of 64
     * @param peer memory of the consumer
     */
    public LinkWriter(MemorySegment ring, PeerMemory peer) {
        this.ring = ring;
        this.words = new LinkRingWords(ring);
        this.stores = new LinkStores(words, peer);
    }

    /**
     * {@return true if another epoch may begin} The consumer then reads no slot any more, and knows the counts of
     * stored messages.
     */
    public boolean isFree() {
        boolean isRead = stores.messages() == storesBefore && (head == start || acquireReleased() == head);
        return isRead || isClosed();
    }

    /**
     * Begins an epoch; the ring {@link #isFree}.
     *
     * @return number of the epoch
     */
    public long begin() {
        epoch++;
        start = head;
        released = head;
        broken = false;
        storesBefore = stores.messages();
        dataHead = 0;
        dataFree = 0;
        return epoch;
    }

    /** {@return position of the first message of the epoch} */
    public long start() {
        return start;
    }

    /** {@return true if the consumer executes no more messages of this epoch} Any thread. */
    public boolean isClosed() {
        return broken || words.getAcquire(LinkRing.CLOSED) == epoch;
    }

    /** {@return true if {@link #acknowledged} would find messages, or the ring is closed} Any thread; a hint. */
    public boolean hasNews() {
        return released != head && (acquireReleased() - released > 0 || isClosed());
    }

    private long acquireReleased() {
        return words.getAcquire(LinkRing.RELEASED);
    }

    /** {@return true if the consumer may have messages to execute} */
    public boolean hasMessages() {
        return released != head;
    }

    /**
     * Executes a WRITE without immediate data, by storing into the memory of the consumer. The consumer has executed
     * all messages before it.
     *
     * @param message its memory is read during the call
     * @return false if it was not executed, although some bytes may have been stored: then it has to be written
     * @throws IllegalStateException if memory of the payload or of the consumer was closed
     */
    public boolean store(LinkMessage message) {
        return message.opcode == Opcode.RC_WRITE_ONLY && stores.store(message, epoch);
    }

    /**
     * Writes a message. One long method, which the compiler does not inline: its accesses to memory would use up what
     * the compiler inlines into the code of a message.
     *
     * @param message its memory is read during the call
     * @return false if there is no room
     * @throws IllegalStateException if the memory of the payload was closed; nothing was written
     */
    public boolean write(LinkMessage message) {
        if (head - released == LinkRing.SLOTS) {
            return false;
        }
        int length = message.length;
        long slot = LinkRing.slot(head);
        long payload = slot + LinkRing.PAYLOAD;
        if (length > LinkRing.INLINE_BYTES) {
            int toEnd = LinkRing.DATA_BYTES - (int) (dataHead & LinkRing.DATA_BYTES - 1);
            // Contiguous data.
            long from = length <= toEnd ? dataHead : dataHead + toEnd;
            if (from + length - dataFree > LinkRing.DATA_BYTES) {
                return false;
            }
            long at = from & LinkRing.DATA_BYTES - 1;
            words.set(payload, at);
            payload = LinkRing.DATA + at;
            dataHead = from + (length + 63 & -64);
        }
        if (length > 0) {
            ShortCopy.copy(message.memory, message.offset, ring, payload, length);
        }
        int index = (int) head & MASK;
        int psn = message.psn;
        int packets = message.packets;
        nextPsns[index] = psn + packets & 0xFF_FFFF;
        dataEnds[index] = dataHead;
        int opcode = message.opcode.code();
        int shape = LinkRing.shape(length, packets, message.solicited);
        words.set(slot + LinkRing.PSN_AND_SHAPE, LinkRing.pair(psn | opcode << 24, shape));
        words.set(slot + LinkRing.IMMEDIATE_AND_RKEY, LinkRing.pair(message.immediate, message.rkey));
        words.set(slot + LinkRing.ADDRESS, message.address);
        words.setRelease(slot, LinkRing.stamp(epoch, head));
        head++;
        return true;
    }

    /**
     * Reads how many messages the consumer has executed.
     *
     * @return true if there are more than before; {@link #acknowledgedPsn} is the PSN after them
     */
    public boolean acknowledged() {
        long seen = acquireReleased();
        // Before the consumer knows the epoch, the word is that of an earlier one.
        if (seen - released <= 0) {
            return false;
        }
        // The consumer is not trusted.
        if (seen - head > 0) {
            broken = true;
            return false;
        }
        released = seen;
        dataFree = dataEnds[(int) (seen - 1) & MASK];
        return true;
    }

    /** {@return the PSN after the executed messages; there are some in this epoch} */
    public int acknowledgedPsn() {
        return nextPsns[(int) (released - 1) & MASK];
    }
}
