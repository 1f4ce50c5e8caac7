// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Aeth;
import io.rdma4j.wire.Bth;
import io.rdma4j.wire.Header;
import io.rdma4j.wire.Ieth;
import io.rdma4j.wire.ImmDt;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Position;
import java.lang.foreign.MemorySegment;

/**
 * The parsed headers of one received packet, or of one train of packets: the scratch that the steps of the ladders
 * read.
 *
 * <p>Each port loop has one object, which is refilled for each buffer. The buffer begins with its BTH and has been
 * checked: its opcode is known and its length holds all headers, padding and ICRC; the ICRC and padding have been
 * trimmed off. For a train {@link #opcode} is that of its first packet and {@link #lastOpcode} that of its last. Of a
 * train of several messages the fields describe one message at a time ({@link #nextMessage}).
 */
public final class PacketContext {
    public SkBuff skb;
    public Opcode opcode;
    public Opcode lastOpcode;
    public int psn;
    public int packets;
    public boolean solicited;
    public boolean ackRequest;
    public boolean migrationRequest;

    /** The IP header reports congestion on the path (ECN CE). */
    public boolean metCongestion;

    /** Extended header of the last packet, if it has one of 32 bits: immediate data, key to invalidate, or AETH. */
    public int lastWord;

    /** Of a response that carries an AETH: the fields of the AETH. */
    public int syndrome;

    public int msn;
    public int payloadOffset;
    public int payloadBytes;

    /** Of a train of several messages: the number of messages after the one that the fields describe. */
    private int messagesLeft;

    private final Train train = new Train();
    private int bthAt;
    /** The opcode of the headers in the buffer; {@link #opcode} may have changed since. */
    private Opcode headers;

    /** Filled by {@link #parse} before it is read. */
    @SuppressWarnings("NullAway.Init")
    public PacketContext() {}

    /**
     * Reads the headers of {@code skb}.
     *
     * @param buffer begins with the BTH
     * @return false if the opcode is unknown; otherwise the buffer must hold the complete headers
     */
    public boolean parse(SkBuff buffer) {
        MemorySegment memory = buffer.memory();
        int bth = buffer.data();
        Opcode first = Bth.opcode(memory, bth);
        if (first == null) {
            return false;
        }
        skb = buffer;
        opcode = first;
        metCongestion = false;
        psn = Bth.psn(memory, bth);
        migrationRequest = Bth.migrationRequest(memory, bth);
        payloadOffset = first.headerBytes();
        payloadBytes = buffer.len() - payloadOffset;
        bthAt = bth;
        headers = first;
        messagesLeft = 0;
        if (buffer.shinfo().isGso() && !Train.isOfMessages(first)) {
            packets = buffer.shinfo().gsoSegs();
            train.over(buffer);
            lastOpcode = train.lastOpcode();
            solicited = train.solicited();
            ackRequest = train.ackRequest();
            lastWord = train.lastWord();
        } else {
            packets = 1;
            lastOpcode = first;
            solicited = Bth.solicitedEvent(memory, bth);
            ackRequest = Bth.ackRequest(memory, bth);
            lastWord = readLastWord(first);
            if (buffer.shinfo().isGso()) {
                messagesLeft = buffer.shinfo().gsoSegs() - 1;
                payloadBytes = buffer.shinfo().gsoSize();
            }
        }
        syndrome = Aeth.syndromeOf(lastWord);
        msn = Aeth.msnOf(lastWord);
        return true;
    }

    /** Moves on to the next message of a train of several messages; false if there is none. */
    public boolean nextMessage() {
        if (messagesLeft == 0) {
            return false;
        }
        messagesLeft--;
        psn = Psn.next(psn);
        payloadOffset += skb.shinfo().gsoSize();
        payloadBytes = Math.min(skb.shinfo().gsoSize(), skb.len() - payloadOffset);
        if (messagesLeft == 0) {
            train.over(skb);
            solicited = train.solicited();
            ackRequest = train.ackRequest();
        }
        return true;
    }

    /** True if this is more than one packet, or was before {@link #dropFirst}. */
    public boolean isTrain() {
        return skb.shinfo().isGso() && !Train.isOfMessages(headers);
    }

    private int readLastWord(Opcode only) {
        if (only.carries(Header.IMMDT)) {
            return ImmDt.immediate(memory(), at(Header.IMMDT));
        }
        if (only.carries(Header.IETH)) {
            return Ieth.rkey(memory(), at(Header.IETH));
        }
        return only.carries(Header.AETH) ? Aeth.word(memory(), at(Header.AETH)) : 0;
    }

    /** {@return number of packets: 1, or those of a train} */
    public int packets() {
        return packets + messagesLeft;
    }

    /**
     * Sets whether the IP header, which {@link #parse} does not read, reports congestion on the path (ECN CE).
     *
     * @param met true for CE
     */
    public void metCongestion(boolean met) {
        metCongestion = met;
    }

    /** {@return bytes of payload of all packets together} */
    public int payloadBytes() {
        return messagesLeft == 0 ? payloadBytes : skb.len() - payloadOffset;
    }

    /** The partition key, 16 bits. */
    public int pkey() {
        return Bth.pkey(memory(), bthAt);
    }

    /** The memory that {@link #at} refers to. */
    public MemorySegment memory() {
        return skb.memory();
    }

    /** Offset of an extended header of the first packet, which carries it. */
    public long at(Header header) {
        return bthAt + (long) headers.offsetOf(header);
    }

    /**
     * {@return destination queue pair of {@code skb}, 24 bits}
     *
     * @param skb begins with the BTH
     */
    public static int destinationQpn(SkBuff skb) {
        return Bth.destinationQpn(skb.memory(), skb.data());
    }

    /** PSN of the last packet. */
    public int lastPsn() {
        return Psn.add(psn, packets - 1);
    }

    /** Drops the first {@code count} packets of a train, which has more: they were received before. */
    public void dropFirst(int count) {
        int bytes = count * skb.shinfo().gsoSize();
        psn = Psn.add(psn, count);
        packets -= count;
        payloadOffset += bytes;
        payloadBytes -= bytes;
        opcode = packets == 1 ? lastOpcode : opcode.withPosition(Position.MIDDLE);
    }
}
