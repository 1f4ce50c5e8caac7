// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.local.LinkRing;
import io.rdma4j.wire.Opcode;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The consumer of a link ring in one epoch, see {@link LinkRing}. The producer is not trusted: each word is read once
 * and checked before use. Guarded by the lock of the link, unless a method states otherwise.
 */
public final class LinkReader {

    private final MemorySegment ring;
    private final LinkRingWords words;
    private final long epoch;

    /** Position of the next message, and the position that the producer knows. */
    private long position;

    private long published;

    /** Counts of the producer's stores that are known. */
    private long storedMessages;

    private long storedPackets;
    private long storedBytes;

    private boolean permitted;

    /** What the last {@link #readStores} has added to the counts. */
    private int newPackets;

    private int newMessages;

    /**
     * Begins to read.
     *
     * @param ring {@link LinkRing#BYTES} of memory, at a multiple of 64
     * @param epoch of the producer
     * @param start position of the first message
     */
    public LinkReader(MemorySegment ring, long epoch, long start) {
        this.ring = ring;
        this.words = new LinkRingWords(ring);
        this.epoch = epoch;
        this.position = start;
        this.published = start;
        this.storedPackets = words.getAcquire(LinkRing.STORED_PACKETS);
        this.storedMessages = words.get(LinkRing.STORED_MESSAGES);
        this.storedBytes = words.get(LinkRing.STORED_BYTES);
        words.setRelease(LinkRing.RELEASED, start);
    }

    /**
     * Permits the producer to store by the keys of a protection domain, until {@link #close}.
     *
     * @param domain number of the domain, not 0
     * @param mtuBytes path MTU of the queue pair
     */
    public void permitStores(int domain, int mtuBytes) {
        permitted = true;
        words.set(LinkRing.MTU, mtuBytes);
        words.setRelease(LinkRing.STORABLE, LinkRing.storable(epoch, domain));
    }

    /** {@return true after {@link #permitStores}} */
    public boolean permitsStores() {
        return permitted;
    }

    /**
     * {@return true while the producer stores} After {@link #close}, or after a key was removed, it stores no more when
     * this was false once. Any thread.
     */
    public boolean isStoring() {
        return words.getVolatile(LinkRing.STORING) != 0;
    }

    /**
     * Reads how many messages the producer has stored since the last call. The producer stores none at the same time:
     * it has written another message behind them, or the ring is closed. Otherwise a later call finds the rest.
     *
     * @param counts receives the counts
     * @return true if there are some: {@link #newMessages} and {@link #newPackets} are the numbers
     */
    public boolean readStores(LinkDelivery counts) {
        long packets = words.getAcquire(LinkRing.STORED_PACKETS);
        if (packets == storedPackets) {
            return false;
        }
        long messages = words.get(LinkRing.STORED_MESSAGES);
        long bytes = words.get(LinkRing.STORED_BYTES);
        newPackets = (int) (packets - storedPackets);
        newMessages = (int) (messages - storedMessages);
        counts.countStored(messages - storedMessages, packets - storedPackets, bytes - storedBytes);
        storedPackets = packets;
        storedMessages = messages;
        storedBytes = bytes;
        return true;
    }

    /** {@return number of messages of the last {@link #readStores}} */
    public int newMessages() {
        return newMessages;
    }

    /** {@return number of packets that these messages replace} */
    public int newPackets() {
        return newPackets;
    }

    /** {@return true if a message waits} Any thread; a hint. */
    public boolean hasMessage() {
        return words.getAcquire(LinkRing.slot(position)) == LinkRing.stamp(epoch, position);
    }

    /**
     * Reads the next message. Its payload stays in the ring until {@link #publish}, and the producer can change it.
     *
     * @param message receives the fields
     * @return false if it violates the format
     */
    public boolean read(LinkMessage message) {
        long slot = LinkRing.slot(position);
        long word = words.get(slot + LinkRing.PSN_AND_SHAPE);
        int psn = (int) word;
        int shape = LinkRing.second(word);
        int length = LinkRing.length(shape);
        Opcode opcode = Opcode.of(psn >>> 24);
        if (opcode == null || !LinkMessage.mayBe(opcode) || length > LinkMessage.MAX_BYTES) {
            return false;
        }
        message.begin(opcode, psn & 0xFF_FFFF, LinkRing.packets(shape), length);
        message.solicited = LinkRing.isSolicited(shape);
        long operands = words.get(slot + LinkRing.IMMEDIATE_AND_RKEY);
        message.immediate = (int) operands;
        message.rkey = LinkRing.second(operands);
        message.address = words.get(slot + LinkRing.ADDRESS);
        if (length <= LinkRing.INLINE_BYTES) {
            message.payload(ring, slot + LinkRing.PAYLOAD);
            return true;
        }
        long at = words.get(slot + LinkRing.PAYLOAD);
        message.payload(ring, LinkRing.DATA + at);
        return at >= 0 && at <= LinkRing.DATA_BYTES - length;
    }

    /** {@return position of the next message} */
    public long position() {
        return position;
    }

    /** Moves on to the message after the one that was read. */
    public void advance() {
        position++;
    }

    /** Publishes how far messages are executed: the producer reuses their memory, and completes its requests. */
    public void publish() {
        if (published != position) {
            published = position;
            words.setRelease(LinkRing.RELEASED, position);
        }
    }

    /**
     * Reports that no more messages of this epoch will be executed, and ends the permission to store. The caller reads
     * no message afterwards.
     */
    public void close() {
        publish();
        words.setVolatile(LinkRing.CLOSED, epoch);
        VarHandle.fullFence();
    }
}
