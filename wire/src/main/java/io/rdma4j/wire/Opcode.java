package io.rdma4j.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one table of opcodes (IBA 9.2.1): which headers a packet has, in which order, and what it does.
 *
 * <p>Encoder, decoder, checks and printers read it; nothing else in the project knows which header follows which. A row
 * names the transport class, the number of the operation within the class, the operation, the packet's place in the
 * message, and the headers after the BTH. Everything else is derived once, when the class is loaded. Answers to
 * {@code rxe_opcode[]}; its mask bits are the methods that return {@code boolean}.
 *
 * <p>The codes from 0xC0 on are left to manufacturers. The masked atomics are ours there: the plain ones' numbers, with upper
 * bits 110 for RC and 111 for XRC. To other makes these codes mean nothing, or something else, so they may be sent only to
 * a peer that is known to be one of us.
 */
public enum Opcode {
    RC_SEND_FIRST(TransportClass.RC, 0x00, Operation.SEND, Position.FIRST),
    RC_SEND_MIDDLE(TransportClass.RC, 0x01, Operation.SEND, Position.MIDDLE),
    RC_SEND_LAST(TransportClass.RC, 0x02, Operation.SEND, Position.LAST),
    RC_SEND_LAST_IMMEDIATE(TransportClass.RC, 0x03, Operation.SEND, Position.LAST, Header.IMMDT),
    RC_SEND_ONLY(TransportClass.RC, 0x04, Operation.SEND, Position.ONLY),
    RC_SEND_ONLY_IMMEDIATE(TransportClass.RC, 0x05, Operation.SEND, Position.ONLY, Header.IMMDT),
    RC_WRITE_FIRST(TransportClass.RC, 0x06, Operation.WRITE, Position.FIRST, Header.RETH),
    RC_WRITE_MIDDLE(TransportClass.RC, 0x07, Operation.WRITE, Position.MIDDLE),
    RC_WRITE_LAST(TransportClass.RC, 0x08, Operation.WRITE, Position.LAST),
    RC_WRITE_LAST_IMMEDIATE(TransportClass.RC, 0x09, Operation.WRITE, Position.LAST, Header.IMMDT),
    RC_WRITE_ONLY(TransportClass.RC, 0x0A, Operation.WRITE, Position.ONLY, Header.RETH),
    RC_WRITE_ONLY_IMMEDIATE(TransportClass.RC, 0x0B, Operation.WRITE, Position.ONLY, Header.RETH, Header.IMMDT),
    RC_READ_REQUEST(TransportClass.RC, 0x0C, Operation.READ_REQUEST, Position.SINGLE, Header.RETH),
    RC_READ_RESPONSE_FIRST(TransportClass.RC, 0x0D, Operation.READ_RESPONSE, Position.FIRST, Header.AETH),
    RC_READ_RESPONSE_MIDDLE(TransportClass.RC, 0x0E, Operation.READ_RESPONSE, Position.MIDDLE),
    RC_READ_RESPONSE_LAST(TransportClass.RC, 0x0F, Operation.READ_RESPONSE, Position.LAST, Header.AETH),
    RC_READ_RESPONSE_ONLY(TransportClass.RC, 0x10, Operation.READ_RESPONSE, Position.ONLY, Header.AETH),
    RC_ACKNOWLEDGE(TransportClass.RC, 0x11, Operation.ACKNOWLEDGE, Position.SINGLE, Header.AETH),
    RC_ATOMIC_ACKNOWLEDGE(
            TransportClass.RC, 0x12, Operation.ATOMIC_ACKNOWLEDGE, Position.SINGLE, Header.AETH, Header.ATOMICACKETH),
    RC_COMPARE_SWAP(TransportClass.RC, 0x13, Operation.COMPARE_SWAP, Position.SINGLE, Header.ATOMICETH),
    RC_FETCH_ADD(TransportClass.RC, 0x14, Operation.FETCH_ADD, Position.SINGLE, Header.ATOMICETH),
    RC_SEND_LAST_INVALIDATE(TransportClass.RC, 0x16, Operation.SEND, Position.LAST, Header.IETH),
    RC_SEND_ONLY_INVALIDATE(TransportClass.RC, 0x17, Operation.SEND, Position.ONLY, Header.IETH),
    RC_FLUSH(TransportClass.RC, 0x1C, Operation.FLUSH, Position.SINGLE, Header.FETH, Header.RETH),
    RC_ATOMIC_WRITE(TransportClass.RC, 0x1D, Operation.ATOMIC_WRITE, Position.SINGLE, Header.RETH),

    UC_SEND_FIRST(TransportClass.UC, 0x00, Operation.SEND, Position.FIRST),
    UC_SEND_MIDDLE(TransportClass.UC, 0x01, Operation.SEND, Position.MIDDLE),
    UC_SEND_LAST(TransportClass.UC, 0x02, Operation.SEND, Position.LAST),
    UC_SEND_LAST_IMMEDIATE(TransportClass.UC, 0x03, Operation.SEND, Position.LAST, Header.IMMDT),
    UC_SEND_ONLY(TransportClass.UC, 0x04, Operation.SEND, Position.ONLY),
    UC_SEND_ONLY_IMMEDIATE(TransportClass.UC, 0x05, Operation.SEND, Position.ONLY, Header.IMMDT),
    UC_WRITE_FIRST(TransportClass.UC, 0x06, Operation.WRITE, Position.FIRST, Header.RETH),
    UC_WRITE_MIDDLE(TransportClass.UC, 0x07, Operation.WRITE, Position.MIDDLE),
    UC_WRITE_LAST(TransportClass.UC, 0x08, Operation.WRITE, Position.LAST),
    UC_WRITE_LAST_IMMEDIATE(TransportClass.UC, 0x09, Operation.WRITE, Position.LAST, Header.IMMDT),
    UC_WRITE_ONLY(TransportClass.UC, 0x0A, Operation.WRITE, Position.ONLY, Header.RETH),
    UC_WRITE_ONLY_IMMEDIATE(TransportClass.UC, 0x0B, Operation.WRITE, Position.ONLY, Header.RETH, Header.IMMDT),

    UD_SEND_ONLY(TransportClass.UD, 0x04, Operation.SEND, Position.ONLY, Header.DETH),
    UD_SEND_ONLY_IMMEDIATE(TransportClass.UD, 0x05, Operation.SEND, Position.ONLY, Header.DETH, Header.IMMDT),

    CNP(TransportClass.CNP, 0x01, Operation.CONGESTION_NOTIFICATION, Position.SINGLE, Header.CNP),

    XRC_SEND_FIRST(TransportClass.XRC, 0x00, Operation.SEND, Position.FIRST, Header.XRCETH),
    XRC_SEND_MIDDLE(TransportClass.XRC, 0x01, Operation.SEND, Position.MIDDLE, Header.XRCETH),
    XRC_SEND_LAST(TransportClass.XRC, 0x02, Operation.SEND, Position.LAST, Header.XRCETH),
    XRC_SEND_LAST_IMMEDIATE(TransportClass.XRC, 0x03, Operation.SEND, Position.LAST, Header.XRCETH, Header.IMMDT),
    XRC_SEND_ONLY(TransportClass.XRC, 0x04, Operation.SEND, Position.ONLY, Header.XRCETH),
    XRC_SEND_ONLY_IMMEDIATE(TransportClass.XRC, 0x05, Operation.SEND, Position.ONLY, Header.XRCETH, Header.IMMDT),
    XRC_WRITE_FIRST(TransportClass.XRC, 0x06, Operation.WRITE, Position.FIRST, Header.XRCETH, Header.RETH),
    XRC_WRITE_MIDDLE(TransportClass.XRC, 0x07, Operation.WRITE, Position.MIDDLE, Header.XRCETH),
    XRC_WRITE_LAST(TransportClass.XRC, 0x08, Operation.WRITE, Position.LAST, Header.XRCETH),
    XRC_WRITE_LAST_IMMEDIATE(TransportClass.XRC, 0x09, Operation.WRITE, Position.LAST, Header.XRCETH, Header.IMMDT),
    XRC_WRITE_ONLY(TransportClass.XRC, 0x0A, Operation.WRITE, Position.ONLY, Header.XRCETH, Header.RETH),
    XRC_WRITE_ONLY_IMMEDIATE(
            TransportClass.XRC, 0x0B, Operation.WRITE, Position.ONLY, Header.XRCETH, Header.RETH, Header.IMMDT),
    XRC_READ_REQUEST(TransportClass.XRC, 0x0C, Operation.READ_REQUEST, Position.SINGLE, Header.XRCETH, Header.RETH),
    XRC_READ_RESPONSE_FIRST(TransportClass.XRC, 0x0D, Operation.READ_RESPONSE, Position.FIRST, Header.AETH),
    XRC_READ_RESPONSE_MIDDLE(TransportClass.XRC, 0x0E, Operation.READ_RESPONSE, Position.MIDDLE),
    XRC_READ_RESPONSE_LAST(TransportClass.XRC, 0x0F, Operation.READ_RESPONSE, Position.LAST, Header.AETH),
    XRC_READ_RESPONSE_ONLY(TransportClass.XRC, 0x10, Operation.READ_RESPONSE, Position.ONLY, Header.AETH),
    XRC_ACKNOWLEDGE(TransportClass.XRC, 0x11, Operation.ACKNOWLEDGE, Position.SINGLE, Header.AETH),
    XRC_ATOMIC_ACKNOWLEDGE(
            TransportClass.XRC, 0x12, Operation.ATOMIC_ACKNOWLEDGE, Position.SINGLE, Header.AETH, Header.ATOMICACKETH),
    XRC_COMPARE_SWAP(
            TransportClass.XRC, 0x13, Operation.COMPARE_SWAP, Position.SINGLE, Header.XRCETH, Header.ATOMICETH),
    XRC_FETCH_ADD(TransportClass.XRC, 0x14, Operation.FETCH_ADD, Position.SINGLE, Header.XRCETH, Header.ATOMICETH),
    XRC_SEND_LAST_INVALIDATE(TransportClass.XRC, 0x16, Operation.SEND, Position.LAST, Header.XRCETH, Header.IETH),
    XRC_SEND_ONLY_INVALIDATE(TransportClass.XRC, 0x17, Operation.SEND, Position.ONLY, Header.XRCETH, Header.IETH),

    RC_MASKED_COMPARE_SWAP(
            0xD3,
            TransportClass.RC,
            Operation.MASKED_COMPARE_SWAP,
            Position.SINGLE,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    RC_MASKED_FETCH_ADD(
            0xD4,
            TransportClass.RC,
            Operation.MASKED_FETCH_ADD,
            Position.SINGLE,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    XRC_MASKED_COMPARE_SWAP(
            0xF3,
            TransportClass.XRC,
            Operation.MASKED_COMPARE_SWAP,
            Position.SINGLE,
            Header.XRCETH,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    XRC_MASKED_FETCH_ADD(
            0xF4,
            TransportClass.XRC,
            Operation.MASKED_FETCH_ADD,
            Position.SINGLE,
            Header.XRCETH,
            Header.ATOMICETH,
            Header.ATOMICMASKETH);

    private static final int CODES = 256;
    private static final @Nullable Opcode[] BY_CODE = new Opcode[CODES];
    private static final @Nullable Opcode[][] BY_POSITION = new Opcode[values().length][Position.values().length];
    private static final @Nullable Opcode[][] BY_TRANSPORT =
            new Opcode[values().length][TransportClass.values().length];

    /** The most bytes any opcode has before its payload, BTH included. */
    public static final int MAX_HEADER_BYTES;

    static {
        int most = 0;
        for (Opcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
            most = Math.max(most, opcode.headerBytes);
            for (Opcode other : values()) {
                if (opcode.isSameMessageAs(other)) {
                    BY_POSITION[opcode.ordinal()][other.position.ordinal()] = other;
                }
                if (opcode.isSamePacketAs(other)) {
                    BY_TRANSPORT[opcode.ordinal()][other.transport.ordinal()] = other;
                }
            }
        }
        MAX_HEADER_BYTES = most;
    }

    private final int code;
    private final String text;
    private final TransportClass transport;
    private final Operation operation;
    private final Position position;

    @SuppressWarnings("ImmutableEnumChecker") // List.copyOf makes it so
    private final List<Header> headers;

    /** Offset of each header from the BTH by its ordinal, -1 for those that are not there. */
    @SuppressWarnings("ImmutableEnumChecker") // private and never written after construction
    private final int[] offsets = new int[Header.values().length];

    private final int headerBytes;
    private final boolean request;
    private final boolean response;
    private final boolean payload;
    private final boolean takesReceive;
    private final boolean completesReceive;
    private final boolean atomic;
    private final boolean ackNeeded;
    private final boolean ownResponse;

    Opcode(TransportClass transport, int number, Operation operation, Position position, Header... extended) {
        this(transport.base() + number, transport, operation, position, extended);
    }

    Opcode(int code, TransportClass transport, Operation operation, Position position, Header... extended) {
        this.code = code;
        this.transport = transport;
        this.operation = operation;
        this.position = position;
        List<Header> list = new ArrayList<>(List.of(Header.BTH));
        list.addAll(List.of(extended));
        this.headers = List.copyOf(list);
        this.headerBytes = layOut();
        this.text = name(transport, operation, position, suffix());
        this.response = operation == Operation.READ_RESPONSE
                || operation == Operation.ACKNOWLEDGE
                || operation == Operation.ATOMIC_ACKNOWLEDGE;
        this.request = !response && operation != Operation.CONGESTION_NOTIFICATION;
        this.atomic = carries(Header.ATOMICETH);
        this.payload = operation == Operation.SEND
                || operation == Operation.WRITE
                || operation == Operation.READ_RESPONSE
                || operation == Operation.ATOMIC_WRITE;
        boolean writeWithImmediate = operation == Operation.WRITE && carries(Header.IMMDT);
        this.takesReceive = writeWithImmediate || (operation == Operation.SEND && position.starts());
        this.completesReceive = writeWithImmediate || (operation == Operation.SEND && position.ends());
        this.ackNeeded = transport.isReliable() && request && position.ends();
        this.ownResponse = atomic
                || operation == Operation.READ_REQUEST
                || operation == Operation.FLUSH
                || operation == Operation.ATOMIC_WRITE;
    }

    private int layOut() {
        Arrays.fill(offsets, -1);
        int offset = 0;
        for (Header header : headers) {
            offsets[header.ordinal()] = offset;
            offset += header.bytes();
        }
        return offset;
    }

    private static String name(TransportClass transport, Operation operation, Position position, String suffix) {
        if (transport == TransportClass.CNP) {
            return operation.text();
        }
        String place = position == Position.SINGLE ? "" : " " + position.text();
        return transport + " " + operation.text() + place + suffix;
    }

    private String suffix() {
        if (carries(Header.IMMDT)) {
            return " Immediate";
        }
        return carries(Header.IETH) ? " Invalidate" : "";
    }

    /** True if both can be packets of one and the same message, or are the same message cut in another way. */
    private boolean isSameMessageAs(Opcode other) {
        boolean sameFamily = transport == other.transport && operation == other.operation;
        // First and middle packets do not know yet what the last one brings.
        return sameFamily && (!other.position.ends() || suffix().equals(other.suffix()));
    }

    /** True if both do the same, each for its transport class. */
    private boolean isSamePacketAs(Opcode other) {
        return operation == other.operation && position == other.position && suffix().equals(other.suffix());
    }

    /** The opcode of {@code code} (its lower 8 bits), or null if the table has none. */
    public static @Nullable Opcode of(int code) {
        return BY_CODE[code & 0xFF];
    }

    /** The number in the BTH, 8 bits. */
    public int code() {
        return code;
    }

    /** The name for people: {@code RC SEND Only Immediate}. */
    public String text() {
        return text;
    }

    /** Which kind of queue pair it is for. */
    public TransportClass transport() {
        return transport;
    }

    /** What it does. */
    public Operation operation() {
        return operation;
    }

    /** Its place in the message. */
    public Position position() {
        return position;
    }

    /** All headers in the order of the wire, the BTH first. */
    public List<Header> headers() {
        return headers;
    }

    /** True if {@code header} is among {@link #headers()}. */
    public boolean carries(Header header) {
        return offsets[header.ordinal()] >= 0;
    }

    /** Bytes from the first of the BTH to the first of {@code header}; -1 if the opcode does not carry it. */
    public int offsetOf(Header header) {
        return offsets[header.ordinal()];
    }

    /** Bytes of all headers, the BTH included: the offset of the payload from the BTH. */
    public int headerBytes() {
        return headerBytes;
    }

    /**
     * The opcode that has place {@code wanted} in the same message: for {@code RC_SEND_ONLY_IMMEDIATE} and {@code FIRST} it
     * is {@code RC_SEND_FIRST}, and {@code LAST} makes it {@code RC_SEND_LAST_IMMEDIATE}. So a requester keeps the ONLY form
     * of a work request and derives the packets from it.
     *
     * @throws IllegalArgumentException if a message of this kind has no packet at that place
     */
    public Opcode withPosition(Position wanted) {
        Opcode opcode = BY_POSITION[ordinal()][wanted.ordinal()];
        if (opcode == null) {
            throw new IllegalArgumentException(text + " has no counterpart at position " + wanted);
        }
        return opcode;
    }

    /** The opcode that does the same for transport class {@code wanted}; null if that does not have it. */
    public @Nullable Opcode forTransport(TransportClass wanted) {
        return BY_TRANSPORT[ordinal()][wanted.ordinal()];
    }

    /** True if it goes from requester to responder, {@code RXE_REQ_MASK}. */
    public boolean isRequest() {
        return request;
    }

    /** True if it goes from responder to requester, {@code RXE_ACK_MASK} and READ responses. */
    public boolean isResponse() {
        return response;
    }

    /** True for the packet that starts a message, {@code RXE_START_MASK}. */
    public boolean startsMessage() {
        return position.starts();
    }

    /** True for the packet that ends a message, {@code RXE_END_MASK}. */
    public boolean endsMessage() {
        return position.ends();
    }

    /** True if bytes may follow the headers, {@code RXE_PAYLOAD_MASK}. */
    public boolean hasPayload() {
        return payload;
    }

    /** True if the responder needs a receive work request at this packet, {@code RXE_RWR_MASK}. */
    public boolean takesReceive() {
        return takesReceive;
    }

    /** True if this packet completes a receive work request, {@code RXE_COMP_MASK}. */
    public boolean completesReceive() {
        return completesReceive;
    }

    /** True for Compare Swap and Fetch Add, masked or not, {@code RXE_ATOMIC_MASK}. */
    public boolean isAtomic() {
        return atomic;
    }

    /** True for the packet on which a requester asks for an acknowledgement: the last of a reliable request. */
    public boolean isAckNeeded() {
        return ackNeeded;
    }

    /** True if the request is answered by a response of its own, which a later ACK cannot stand for. */
    public boolean hasOwnResponse() {
        return ownResponse;
    }
}
