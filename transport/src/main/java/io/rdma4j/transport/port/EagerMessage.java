// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

import io.rdma4j.base.Psn;
import io.rdma4j.transport.memory.PayloadTarget;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A SEND or WRITE that is sent to a peer on the same machine as a whole instead of as packets: the header fields and
 * the location of the payload. It consumes PSNs like packets, so that packets can replace it at any time; see
 * {@link QpPort#sendEager}.
 *
 * <p>Between two processes it is written to shared memory as an eager frame:
 *
 * <pre>
 *    0  destination queue pair (24 bits), opcode of one packet (8); opcode 0 if there is no message
 *    4  PSN (24), flags (8)
 *    8  packets (16), partition (16)
 *   12  immediate data (32)
 *   16  PSN of an acknowledgement in the same frame (32)
 *   20  its AETH (32)
 *   24  bytes of payload (32)
 *   28  R_Key of the memory to write to (32)
 *   32  address to write to (64)
 *   40  token of a payload that the peer reads in place (64)
 *   48  payload, if there is no token
 * </pre>
 *
 * <p>Numbers are in native byte order. Each device has one object, which the owner of the port loop refills for each
 * message.
 */
public final class EagerMessage implements PayloadTarget {
    /** Bytes of an eager frame before its payload. */
    public static final int HEADER_BYTES = 48;

    /** Longer messages are sent as trains of packets, which the peer may read in place. */
    public static final int MAX_BYTES = 16 << 10;

    private static final int BITS = 24;
    private static final int NUMBER_MASK = (1 << BITS) - 1;
    private static final int SOLICITED = 1;
    private static final int ACKNOWLEDGES = 2;
    private static final int REFUSES = 4;
    private static final int REFERENCE = 8;
    private static final int ALL_FLAGS = SOLICITED | ACKNOWLEDGES | REFUSES | REFERENCE;
    private static final int SHORT_MASK = 0xFFFF;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    public Opcode opcode = Opcode.RC_SEND_ONLY;
    public int psn;
    public int packets;
    public boolean solicited;
    public int immediate;
    public int rkey;
    public long address;
    public int length;

    /** Location of the payload. */
    public MemorySegment memory = MemorySegment.NULL;

    public long offset;

    private int destinationQpn;
    private int pkey;

    /** It is, or carries, an acknowledgement. */
    private boolean acknowledges;

    private int ackPsn;
    private int aeth;

    /** It rejects the messages before it. */
    private boolean refuses;

    private boolean isMessage;

    /** The peer reads the payload in place. */
    private boolean isReference;

    private long token;

    public EagerMessage() {}

    /** Becomes a message without payload location and without acknowledgement. */
    public void begin(Opcode onlyPacket, int firstPsn, int count, int bytes) {
        opcode = onlyPacket;
        psn = firstPsn;
        packets = count;
        length = bytes;
        offset = 0;
        beginMessage(true);
    }

    /** Clears the fields of the last message, so that the peer of this connection sees no data of another one. */
    private void beginMessage(boolean ofMessage) {
        isMessage = ofMessage;
        acknowledges = false;
        ackPsn = 0;
        aeth = 0;
        refuses = false;
        rkey = 0;
        address = 0;
        isReference = false;
        token = 0;
    }

    /** Becomes a frame without message. */
    public void beginWithout() {
        psn = 0;
        packets = 0;
        solicited = false;
        immediate = 0;
        length = 0;
        beginMessage(false);
    }

    /** Becomes a rejection: the peer sends its unacknowledged eager messages as packets. */
    public void refuse() {
        beginWithout();
        refuses = true;
    }

    /** Adds an acknowledgement. */
    public void acknowledge(int ofPsn, int word) {
        acknowledges = true;
        ackPsn = ofPsn;
        aeth = word;
    }

    /** Sets the destination. */
    public void address(int qpn, int partition) {
        destinationQpn = qpn;
        pkey = partition;
    }

    @Override
    public void payload(MemorySegment segment, long at) {
        memory = segment;
        offset = at;
    }

    /** {@return number of the destination queue pair, 24 bits} */
    public int destinationQpn() {
        return destinationQpn;
    }

    /** {@return partition key of the sender, 16 bits} */
    public int pkey() {
        return pkey;
    }

    /** {@return true if there is a message, and not just an acknowledgement or a rejection} */
    public boolean isMessage() {
        return isMessage;
    }

    /** {@return number of packets that it replaces; 0 if there is no message} */
    public int packets() {
        return isMessage ? packets : 0;
    }

    /** {@return payload, bytes} */
    public int length() {
        return length;
    }

    /** {@return memory of the payload; invalid for a frame that {@link #isReference}} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return offset of the payload in {@link #memory}} */
    public long offset() {
        return offset;
    }

    /**
     * Makes the frame carry a token instead of the payload.
     *
     * @param bytesToken by which the peer finds the payload
     */
    public void refer(long bytesToken) {
        isReference = true;
        token = bytesToken;
    }

    /** {@return true if a frame that was read carries no payload, but its {@link #token}} */
    public boolean isReference() {
        return isReference;
    }

    /** {@return the token by which the payload is found} */
    public long token() {
        return token;
    }

    public boolean acknowledges() {
        return acknowledges;
    }

    public int ackPsn() {
        return ackPsn;
    }

    public int aeth() {
        return aeth;
    }

    /** {@return true if it rejects the messages before it, which have to be sent as packets} */
    public boolean refuses() {
        return refuses;
    }

    public boolean isWrite() {
        return opcode.operation() == Operation.WRITE;
    }

    /** Access rights that the peer checks, bits of {@link AccessFlag}; 0 for a SEND. */
    public int access() {
        return isWrite() ? AccessFlag.REMOTE_WRITE.bit() : 0;
    }

    public int lastPsn() {
        return Psn.add(psn, packets - 1);
    }

    /** {@return bytes of its eager frame} */
    public int eagerBytes() {
        return isReference ? HEADER_BYTES : HEADER_BYTES + length;
    }

    /**
     * Writes its eager frame.
     *
     * @param note memory that has {@link #eagerBytes} at {@code at}
     * @param at a multiple of eight
     * @return false if the memory of the payload is closed: the frame is invalid
     */
    public boolean write(MemorySegment note, long at) {
        int code = isMessage ? opcode.code() : 0;
        int flags = (solicited ? SOLICITED : 0)
                | (acknowledges ? ACKNOWLEDGES : 0)
                | (refuses ? REFUSES : 0)
                | (isReference ? REFERENCE : 0);
        note.set(LONG, at, pair(destinationQpn | code << BITS, psn | flags << BITS));
        note.set(LONG, at + 8, pair(packets & SHORT_MASK | pkey << Short.SIZE, immediate));
        note.set(LONG, at + 16, pair(ackPsn, aeth));
        note.set(LONG, at + 24, pair(length, rkey));
        note.set(LONG, at + 32, address);
        note.set(LONG, at + 40, token);
        if (length == 0 || isReference) {
            return true;
        }
        try {
            MemorySegment.copy(memory, offset, note, at + HEADER_BYTES, length);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Reads an eager frame. The sender can still change it, so each field is read once. The payload is read when the
     * message is taken.
     *
     * @param note memory that has {@code bytes} at {@code at}
     * @param at a multiple of eight
     * @param bytes of the whole frame
     * @return false if it is not a frame that {@link #write} produces
     */
    public boolean read(MemorySegment note, long at, int bytes) {
        if (bytes < HEADER_BYTES) {
            return false;
        }
        long first = note.get(LONG, at);
        long second = note.get(LONG, at + 8);
        long third = note.get(LONG, at + 16);
        long fourth = note.get(LONG, at + 24);
        int code = low(first) >>> BITS;
        int flags = high(first) >>> BITS;
        destinationQpn = low(first) & NUMBER_MASK;
        psn = high(first) & NUMBER_MASK;
        solicited = (flags & SOLICITED) != 0;
        acknowledges = (flags & ACKNOWLEDGES) != 0;
        refuses = (flags & REFUSES) != 0;
        isReference = (flags & REFERENCE) != 0;
        packets = low(second) & SHORT_MASK;
        pkey = low(second) >>> Short.SIZE;
        immediate = high(second);
        ackPsn = low(third) & NUMBER_MASK;
        aeth = high(third);
        length = low(fourth);
        rkey = high(fourth);
        address = note.get(LONG, at + 32);
        token = note.get(LONG, at + 40);
        payload(note, at + HEADER_BYTES);
        isMessage = code != 0;
        boolean fits = isReference
                ? bytes == HEADER_BYTES && length > 0 && length <= MAX_BYTES
                : length == bytes - HEADER_BYTES;
        return flags <= ALL_FLAGS && fits && (isMessage ? isSound(code) : bytes == HEADER_BYTES && !isReference);
    }

    private boolean isSound(int code) {
        Opcode read = Opcode.of(code);
        if (read == null || !mayBe(read) || length > MAX_BYTES || packets < 1 || packets > MAX_BYTES) {
            return false;
        }
        opcode = read;
        return true;
    }

    /** True if a message with this opcode, as one packet, may be sent eagerly. */
    public static boolean mayBe(Opcode only) {
        return only == Opcode.RC_SEND_ONLY
                || only == Opcode.RC_SEND_ONLY_IMMEDIATE
                || only == Opcode.RC_WRITE_ONLY
                || only == Opcode.RC_WRITE_ONLY_IMMEDIATE;
    }

    private static long pair(int low, int high) {
        return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
    }

    private static int low(long pair) {
        return (int) pair;
    }

    private static int high(long pair) {
        return (int) (pair >>> Integer.SIZE);
    }
}
