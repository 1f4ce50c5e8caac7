package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.Operation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A SEND or WRITE that a queue pair hands to its peer on the same machine as it is, instead of making packets of it: what their headers would say, and
 * where the payload lies. It has sequence numbers as if it were packets, so that packets can take its place at any time; see {@link QpPort#handOver}.
 *
 * <p>Between two processes it is written into memory that both have, a note:
 *
 * <pre>
 *    0  queue pair that it is for (24 bits), opcode of one packet (8); 0 in place of the latter for no message
 *    4  PSN (24), flags (8)
 *    8  packets (16), partition (16)
 *   12  immediate data (32)
 *   16  PSN of an acknowledgement that goes along (32)
 *   20  its AETH (32)
 *   24  bytes of payload (32)
 *   28  key of the memory to write to (32)
 *   32  address to write to (64)
 *   40  token of a payload that the peer reads where it lies (64)
 *   48  payload, if there is no token
 * </pre>
 *
 * <p>Numbers are in the machine's order. One object a device, filled anew for each message, by the owner of the port loop.
 */
public final class WholeMessage {
    /** Bytes of a note in front of its payload. */
    public static final int NOTE_BYTES = 48;

    /** Longer ones go as packets, which are trains then: the peer may read them in place. */
    public static final int MAX_BYTES = 16 << 10;

    private static final int BITS = 24;
    private static final int NUMBER_MASK = (1 << BITS) - 1;
    private static final int SOLICITED = 1;
    private static final int ACKNOWLEDGES = 2;
    private static final int REFUSES = 4;
    private static final int LENDS = 8;
    private static final int ALL_FLAGS = SOLICITED | ACKNOWLEDGES | REFUSES | LENDS;
    private static final int SHORT_MASK = 0xFFFF;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    Opcode opcode = Opcode.RC_SEND_ONLY;
    int psn;
    int packets;
    boolean solicited;
    int immediate;
    int rkey;
    long address;
    int length;

    /** Where the payload lies. */
    MemorySegment memory = MemorySegment.NULL;

    long offset;

    private int destinationQpn;
    private int pkey;

    /** It is, or brings along, an acknowledgement. */
    private boolean acknowledges;

    private int ackPsn;
    private int aeth;

    /** It says that those before were not taken. */
    private boolean refuses;

    private boolean isMessage;

    /** The peer reads the payload where it lies. */
    private boolean lends;

    private long token;

    WholeMessage() {}

    /** Becomes a message with neither memory nor acknowledgement. */
    void begin(Opcode onlyPacket, int firstPsn, int count, int bytes) {
        opcode = onlyPacket;
        psn = firstPsn;
        packets = count;
        length = bytes;
        offset = 0;
        beginNote(true);
    }

    /** What was there of another connection is nothing that the peer of this one may see. */
    private void beginNote(boolean ofMessage) {
        isMessage = ofMessage;
        acknowledges = false;
        ackPsn = 0;
        aeth = 0;
        refuses = false;
        rkey = 0;
        address = 0;
        lends = false;
        token = 0;
    }

    /** Becomes no message. */
    void beginWithout() {
        psn = 0;
        packets = 0;
        solicited = false;
        immediate = 0;
        length = 0;
        beginNote(false);
    }

    /** Has the peer send packets in place of what it handed over and was not told of. */
    void refuse() {
        beginWithout();
        refuses = true;
    }

    /** Takes an acknowledgement along. */
    void acknowledge(int ofPsn, int word) {
        acknowledges = true;
        ackPsn = ofPsn;
        aeth = word;
    }

    /** Where it goes. */
    void address(int qpn, int partition) {
        destinationQpn = qpn;
        pkey = partition;
    }

    /**
     * Says where the payload lies.
     *
     * @param segment that holds it
     * @param at offset of it
     */
    public void payload(MemorySegment segment, long at) {
        memory = segment;
        offset = at;
    }

    /** {@return number of the queue pair that it is for, 24 bits} */
    public int destinationQpn() {
        return destinationQpn;
    }

    /** {@return partition key of the sender, 16 bits} */
    public int pkey() {
        return pkey;
    }

    /** {@return true if there is a message, and not just an acknowledgement or a refusal} */
    public boolean isMessage() {
        return isMessage;
    }

    /** {@return packets that it stands for; 0 if there is no message} */
    public int packets() {
        return isMessage ? packets : 0;
    }

    /** {@return payload, bytes} */
    public int length() {
        return length;
    }

    /** {@return where the payload lies; of a note that {@link #lends}, nowhere} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return where in {@link #memory} it begins} */
    public long offset() {
        return offset;
    }

    /**
     * The note is to carry no payload.
     *
     * @param bytesToken by which the peer finds it
     */
    public void lend(long bytesToken) {
        lends = true;
        token = bytesToken;
    }

    /** {@return true if a note that was read carries no payload: {@link #token} says where it is} */
    public boolean lends() {
        return lends;
    }

    /** {@return by which the payload is found} */
    public long token() {
        return token;
    }

    boolean acknowledges() {
        return acknowledges;
    }

    int ackPsn() {
        return ackPsn;
    }

    int aeth() {
        return aeth;
    }

    /** {@return true if it says that those before were not taken, and packets have to come} */
    public boolean refuses() {
        return refuses;
    }

    boolean isWrite() {
        return opcode.operation() == Operation.WRITE;
    }

    /** Rights that the peer needs, bits of {@link AccessFlag}; 0 for a SEND. */
    int access() {
        return isWrite() ? AccessFlag.REMOTE_WRITE.bit() : 0;
    }

    int lastPsn() {
        return Psn.add(psn, packets - 1);
    }

    /** {@return bytes of its note} */
    public int noteBytes() {
        return lends ? NOTE_BYTES : NOTE_BYTES + length;
    }

    /**
     * Writes its note.
     *
     * @param note memory that has {@link #noteBytes} at {@code at}
     * @param at a multiple of eight
     * @return false if the memory behind the payload is gone: what was written is nothing
     */
    public boolean write(MemorySegment note, long at) {
        int code = isMessage ? opcode.code() : 0;
        int flags = (solicited ? SOLICITED : 0)
                | (acknowledges ? ACKNOWLEDGES : 0)
                | (refuses ? REFUSES : 0)
                | (lends ? LENDS : 0);
        note.set(LONG, at, pair(destinationQpn | code << BITS, psn | flags << BITS));
        note.set(LONG, at + 8, pair(packets & SHORT_MASK | pkey << Short.SIZE, immediate));
        note.set(LONG, at + 16, pair(ackPsn, aeth));
        note.set(LONG, at + 24, pair(length, rkey));
        note.set(LONG, at + 32, address);
        note.set(LONG, at + 40, token);
        if (length == 0 || lends) {
            return true;
        }
        try {
            MemorySegment.copy(memory, offset, note, at + NOTE_BYTES, length);
            return true;
        } catch (IllegalStateException | InternalError gone) {
            return false;
        }
    }

    /**
     * Reads a note, which the sender can still change: what it says is read once. The payload is read when the message is taken.
     *
     * @param note memory that has {@code bytes} at {@code at}
     * @param at a multiple of eight
     * @param bytes of the whole note
     * @return false if it is none that {@link #write} makes
     */
    public boolean read(MemorySegment note, long at, int bytes) {
        if (bytes < NOTE_BYTES) {
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
        lends = (flags & LENDS) != 0;
        packets = low(second) & SHORT_MASK;
        pkey = low(second) >>> Short.SIZE;
        immediate = high(second);
        ackPsn = low(third) & NUMBER_MASK;
        aeth = high(third);
        length = low(fourth);
        rkey = high(fourth);
        address = note.get(LONG, at + 32);
        token = note.get(LONG, at + 40);
        payload(note, at + NOTE_BYTES);
        isMessage = code != 0;
        boolean fits = lends ? bytes == NOTE_BYTES && length > 0 && length <= MAX_BYTES : length == bytes - NOTE_BYTES;
        return flags <= ALL_FLAGS && fits && (isMessage ? isSound(code) : bytes == NOTE_BYTES && !lends);
    }

    private boolean isSound(int code) {
        Opcode read = Opcode.of(code);
        if (read == null || !mayBe(read) || length > MAX_BYTES || packets < 1 || packets > MAX_BYTES) {
            return false;
        }
        opcode = read;
        return true;
    }

    /** True for what may be handed over, by the opcode that it has as one packet. */
    static boolean mayBe(Opcode only) {
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
