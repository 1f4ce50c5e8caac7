// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The table of opcodes (IBA 9.2.1): the headers of a packet, their order, and the operation.
 *
 * <p>Encoder, decoder, checks and printers use this table; no other class determines which header follows which. A row
 * contains the transport class, the number of the operation within the class, and the operation. It also contains the
 * packet's position in the message and the headers after the BTH. Everything else is derived when the class is loaded.
 * Corresponds to {@code rxe_opcode[]}; its mask bits are the methods that return {@code boolean}.
 *
 * <p>Codes from 0xC0 are manufacturer-specific. This project uses some of them for masked atomics: the numbers of the
 * plain atomics, with upper bits 110 for RC and 111 for XRC. Other implementations do not define these codes or define
 * them differently. They may be sent only to a peer that is known to run this library.
 */
public enum Opcode {
    /** {@code IB_OPCODE_RC_SEND_FIRST}: the first of several packets of a SEND. */
    RC_SEND_FIRST(TransportClass.RC, 0x00, Operation.SEND, Position.FIRST),
    /** {@code IB_OPCODE_RC_SEND_MIDDLE}: a middle packet of a SEND. */
    RC_SEND_MIDDLE(TransportClass.RC, 0x01, Operation.SEND, Position.MIDDLE),
    /** {@code IB_OPCODE_RC_SEND_LAST}: the last of several packets of a SEND. */
    RC_SEND_LAST(TransportClass.RC, 0x02, Operation.SEND, Position.LAST),
    /** {@code IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE}: the last of several packets of a SEND, with immediate data. */
    RC_SEND_LAST_IMMEDIATE(TransportClass.RC, 0x03, Operation.SEND, Position.LAST, Header.IMMDT),
    /** {@code IB_OPCODE_RC_SEND_ONLY}: a SEND of one packet. */
    RC_SEND_ONLY(TransportClass.RC, 0x04, Operation.SEND, Position.ONLY),
    /** {@code IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE}: a SEND of one packet, with immediate data. */
    RC_SEND_ONLY_IMMEDIATE(TransportClass.RC, 0x05, Operation.SEND, Position.ONLY, Header.IMMDT),
    /** {@code IB_OPCODE_RC_RDMA_WRITE_FIRST}: the first of several packets of an RDMA WRITE. */
    RC_WRITE_FIRST(TransportClass.RC, 0x06, Operation.WRITE, Position.FIRST, Header.RETH),
    /** {@code IB_OPCODE_RC_RDMA_WRITE_MIDDLE}: a middle packet of an RDMA WRITE. */
    RC_WRITE_MIDDLE(TransportClass.RC, 0x07, Operation.WRITE, Position.MIDDLE),
    /** {@code IB_OPCODE_RC_RDMA_WRITE_LAST}: the last of several packets of an RDMA WRITE. */
    RC_WRITE_LAST(TransportClass.RC, 0x08, Operation.WRITE, Position.LAST),
    /**
     * {@code IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE}: the last of several packets of an RDMA WRITE, with immediate
     * data.
     */
    RC_WRITE_LAST_IMMEDIATE(TransportClass.RC, 0x09, Operation.WRITE, Position.LAST, Header.IMMDT),
    /** {@code IB_OPCODE_RC_RDMA_WRITE_ONLY}: an RDMA WRITE of one packet. */
    RC_WRITE_ONLY(TransportClass.RC, 0x0A, Operation.WRITE, Position.ONLY, Header.RETH),
    /** {@code IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE}: an RDMA WRITE of one packet, with immediate data. */
    RC_WRITE_ONLY_IMMEDIATE(TransportClass.RC, 0x0B, Operation.WRITE, Position.ONLY, Header.RETH, Header.IMMDT),
    /** {@code IB_OPCODE_RC_RDMA_READ_REQUEST}: the request of an RDMA READ. */
    RC_READ_REQUEST(TransportClass.RC, 0x0C, Operation.READ_REQUEST, Position.SINGLE, Header.RETH),
    /**
     * {@code IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST}: the first packet of an RDMA READ response, which acknowledges.
     */
    RC_READ_RESPONSE_FIRST(TransportClass.RC, 0x0D, Operation.READ_RESPONSE, Position.FIRST, Header.AETH),
    /** {@code IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE}: a middle packet of an RDMA READ response. */
    RC_READ_RESPONSE_MIDDLE(TransportClass.RC, 0x0E, Operation.READ_RESPONSE, Position.MIDDLE),
    /**
     * {@code IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST}: the last packet of an RDMA READ response, which acknowledges.
     */
    RC_READ_RESPONSE_LAST(TransportClass.RC, 0x0F, Operation.READ_RESPONSE, Position.LAST, Header.AETH),
    /** {@code IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY}: an RDMA READ response of one packet. */
    RC_READ_RESPONSE_ONLY(TransportClass.RC, 0x10, Operation.READ_RESPONSE, Position.ONLY, Header.AETH),
    /** {@code IB_OPCODE_RC_ACKNOWLEDGE}: an ACK or NAK, according to its {@link Syndrome}. */
    RC_ACKNOWLEDGE(TransportClass.RC, 0x11, Operation.ACKNOWLEDGE, Position.SINGLE, Header.AETH),
    /** {@code IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE}: the response to an atomic, with the value before. */
    RC_ATOMIC_ACKNOWLEDGE(
            TransportClass.RC, 0x12, Operation.ATOMIC_ACKNOWLEDGE, Position.SINGLE, Header.AETH, Header.ATOMICACKETH),
    /** {@code IB_OPCODE_RC_COMPARE_SWAP}: the request of a compare-and-swap of 64 bits. */
    RC_COMPARE_SWAP(TransportClass.RC, 0x13, Operation.COMPARE_SWAP, Position.SINGLE, Header.ATOMICETH),
    /** {@code IB_OPCODE_RC_FETCH_ADD}: the request of a fetch-and-add to 64 bits. */
    RC_FETCH_ADD(TransportClass.RC, 0x14, Operation.FETCH_ADD, Position.SINGLE, Header.ATOMICETH),
    /**
     * {@code IB_OPCODE_RC_SEND_LAST_WITH_INVALIDATE}: the last of several packets of a SEND, with a key that the
     * receiver invalidates.
     */
    RC_SEND_LAST_INVALIDATE(TransportClass.RC, 0x16, Operation.SEND, Position.LAST, Header.IETH),
    /**
     * {@code IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE}: a SEND of one packet, with a key that the receiver
     * invalidates.
     */
    RC_SEND_ONLY_INVALIDATE(TransportClass.RC, 0x17, Operation.SEND, Position.ONLY, Header.IETH),
    /** {@code IB_OPCODE_RC_FLUSH}: the request to flush earlier WRITEs. */
    RC_FLUSH(TransportClass.RC, 0x1C, Operation.FLUSH, Position.SINGLE, Header.FETH, Header.RETH),
    /** {@code IB_OPCODE_RC_ATOMIC_WRITE}: the request to write 8 bytes atomically. */
    RC_ATOMIC_WRITE(TransportClass.RC, 0x1D, Operation.ATOMIC_WRITE, Position.SINGLE, Header.RETH),

    /** {@code IB_OPCODE_UC_SEND_FIRST}: the first of several packets of a SEND. */
    UC_SEND_FIRST(TransportClass.UC, 0x00, Operation.SEND, Position.FIRST),
    /** {@code IB_OPCODE_UC_SEND_MIDDLE}: a middle packet of a SEND. */
    UC_SEND_MIDDLE(TransportClass.UC, 0x01, Operation.SEND, Position.MIDDLE),
    /** {@code IB_OPCODE_UC_SEND_LAST}: the last of several packets of a SEND. */
    UC_SEND_LAST(TransportClass.UC, 0x02, Operation.SEND, Position.LAST),
    /** {@code IB_OPCODE_UC_SEND_LAST_WITH_IMMEDIATE}: the last of several packets of a SEND, with immediate data. */
    UC_SEND_LAST_IMMEDIATE(TransportClass.UC, 0x03, Operation.SEND, Position.LAST, Header.IMMDT),
    /** {@code IB_OPCODE_UC_SEND_ONLY}: a SEND of one packet. */
    UC_SEND_ONLY(TransportClass.UC, 0x04, Operation.SEND, Position.ONLY),
    /** {@code IB_OPCODE_UC_SEND_ONLY_WITH_IMMEDIATE}: a SEND of one packet, with immediate data. */
    UC_SEND_ONLY_IMMEDIATE(TransportClass.UC, 0x05, Operation.SEND, Position.ONLY, Header.IMMDT),
    /** {@code IB_OPCODE_UC_RDMA_WRITE_FIRST}: the first of several packets of an RDMA WRITE. */
    UC_WRITE_FIRST(TransportClass.UC, 0x06, Operation.WRITE, Position.FIRST, Header.RETH),
    /** {@code IB_OPCODE_UC_RDMA_WRITE_MIDDLE}: a middle packet of an RDMA WRITE. */
    UC_WRITE_MIDDLE(TransportClass.UC, 0x07, Operation.WRITE, Position.MIDDLE),
    /** {@code IB_OPCODE_UC_RDMA_WRITE_LAST}: the last of several packets of an RDMA WRITE. */
    UC_WRITE_LAST(TransportClass.UC, 0x08, Operation.WRITE, Position.LAST),
    /**
     * {@code IB_OPCODE_UC_RDMA_WRITE_LAST_WITH_IMMEDIATE}: the last of several packets of an RDMA WRITE, with immediate
     * data.
     */
    UC_WRITE_LAST_IMMEDIATE(TransportClass.UC, 0x09, Operation.WRITE, Position.LAST, Header.IMMDT),
    /** {@code IB_OPCODE_UC_RDMA_WRITE_ONLY}: an RDMA WRITE of one packet. */
    UC_WRITE_ONLY(TransportClass.UC, 0x0A, Operation.WRITE, Position.ONLY, Header.RETH),
    /** {@code IB_OPCODE_UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE}: an RDMA WRITE of one packet, with immediate data. */
    UC_WRITE_ONLY_IMMEDIATE(TransportClass.UC, 0x0B, Operation.WRITE, Position.ONLY, Header.RETH, Header.IMMDT),

    /** {@code IB_OPCODE_UD_SEND_ONLY}: a SEND of one packet. */
    UD_SEND_ONLY(TransportClass.UD, 0x04, Operation.SEND, Position.ONLY, Header.DETH),
    /** {@code IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE}: a SEND of one packet, with immediate data. */
    UD_SEND_ONLY_IMMEDIATE(TransportClass.UD, 0x05, Operation.SEND, Position.ONLY, Header.DETH, Header.IMMDT),

    /** A congestion notification for the sender of the packets that met congestion (IBA annex A17). */
    CNP(TransportClass.CNP, 0x01, Operation.CONGESTION_NOTIFICATION, Position.SINGLE, Header.CNP),

    /** The first of several packets of a SEND (XRC). */
    XRC_SEND_FIRST(TransportClass.XRC, 0x00, Operation.SEND, Position.FIRST, Header.XRCETH),
    /** A middle packet of a SEND (XRC). */
    XRC_SEND_MIDDLE(TransportClass.XRC, 0x01, Operation.SEND, Position.MIDDLE, Header.XRCETH),
    /** The last of several packets of a SEND (XRC). */
    XRC_SEND_LAST(TransportClass.XRC, 0x02, Operation.SEND, Position.LAST, Header.XRCETH),
    /** The last of several packets of a SEND, with immediate data (XRC). */
    XRC_SEND_LAST_IMMEDIATE(TransportClass.XRC, 0x03, Operation.SEND, Position.LAST, Header.XRCETH, Header.IMMDT),
    /** A SEND of one packet (XRC). */
    XRC_SEND_ONLY(TransportClass.XRC, 0x04, Operation.SEND, Position.ONLY, Header.XRCETH),
    /** A SEND of one packet, with immediate data (XRC). */
    XRC_SEND_ONLY_IMMEDIATE(TransportClass.XRC, 0x05, Operation.SEND, Position.ONLY, Header.XRCETH, Header.IMMDT),
    /** The first of several packets of an RDMA WRITE (XRC). */
    XRC_WRITE_FIRST(TransportClass.XRC, 0x06, Operation.WRITE, Position.FIRST, Header.XRCETH, Header.RETH),
    /** A middle packet of an RDMA WRITE (XRC). */
    XRC_WRITE_MIDDLE(TransportClass.XRC, 0x07, Operation.WRITE, Position.MIDDLE, Header.XRCETH),
    /** The last of several packets of an RDMA WRITE (XRC). */
    XRC_WRITE_LAST(TransportClass.XRC, 0x08, Operation.WRITE, Position.LAST, Header.XRCETH),
    /** The last of several packets of an RDMA WRITE, with immediate data (XRC). */
    XRC_WRITE_LAST_IMMEDIATE(TransportClass.XRC, 0x09, Operation.WRITE, Position.LAST, Header.XRCETH, Header.IMMDT),
    /** An RDMA WRITE of one packet (XRC). */
    XRC_WRITE_ONLY(TransportClass.XRC, 0x0A, Operation.WRITE, Position.ONLY, Header.XRCETH, Header.RETH),
    /** An RDMA WRITE of one packet, with immediate data (XRC). */
    XRC_WRITE_ONLY_IMMEDIATE(
            TransportClass.XRC, 0x0B, Operation.WRITE, Position.ONLY, Header.XRCETH, Header.RETH, Header.IMMDT),
    /** The request of an RDMA READ (XRC). */
    XRC_READ_REQUEST(TransportClass.XRC, 0x0C, Operation.READ_REQUEST, Position.SINGLE, Header.XRCETH, Header.RETH),
    /** The first packet of an RDMA READ response, which acknowledges (XRC). */
    XRC_READ_RESPONSE_FIRST(TransportClass.XRC, 0x0D, Operation.READ_RESPONSE, Position.FIRST, Header.AETH),
    /** A middle packet of an RDMA READ response (XRC). */
    XRC_READ_RESPONSE_MIDDLE(TransportClass.XRC, 0x0E, Operation.READ_RESPONSE, Position.MIDDLE),
    /** The last packet of an RDMA READ response, which acknowledges (XRC). */
    XRC_READ_RESPONSE_LAST(TransportClass.XRC, 0x0F, Operation.READ_RESPONSE, Position.LAST, Header.AETH),
    /** An RDMA READ response of one packet (XRC). */
    XRC_READ_RESPONSE_ONLY(TransportClass.XRC, 0x10, Operation.READ_RESPONSE, Position.ONLY, Header.AETH),
    /** An ACK or NAK, according to its {@link Syndrome} (XRC). */
    XRC_ACKNOWLEDGE(TransportClass.XRC, 0x11, Operation.ACKNOWLEDGE, Position.SINGLE, Header.AETH),
    /** The response to an atomic, with the value before (XRC). */
    XRC_ATOMIC_ACKNOWLEDGE(
            TransportClass.XRC, 0x12, Operation.ATOMIC_ACKNOWLEDGE, Position.SINGLE, Header.AETH, Header.ATOMICACKETH),
    /** The request of a compare-and-swap of 64 bits (XRC). */
    XRC_COMPARE_SWAP(
            TransportClass.XRC, 0x13, Operation.COMPARE_SWAP, Position.SINGLE, Header.XRCETH, Header.ATOMICETH),
    /** The request of a fetch-and-add to 64 bits (XRC). */
    XRC_FETCH_ADD(TransportClass.XRC, 0x14, Operation.FETCH_ADD, Position.SINGLE, Header.XRCETH, Header.ATOMICETH),
    /** The last of several packets of a SEND, with a key that the receiver invalidates (XRC). */
    XRC_SEND_LAST_INVALIDATE(TransportClass.XRC, 0x16, Operation.SEND, Position.LAST, Header.XRCETH, Header.IETH),
    /** A SEND of one packet, with a key that the receiver invalidates (XRC). */
    XRC_SEND_ONLY_INVALIDATE(TransportClass.XRC, 0x17, Operation.SEND, Position.ONLY, Header.XRCETH, Header.IETH),

    /** The request of a masked compare-and-swap of 64 bits (RC); manufacturer-specific. */
    RC_MASKED_COMPARE_SWAP(
            0xD3,
            TransportClass.RC,
            Operation.MASKED_COMPARE_SWAP,
            Position.SINGLE,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    /** The request of a masked fetch-and-add to several fields (RC); manufacturer-specific. */
    RC_MASKED_FETCH_ADD(
            0xD4,
            TransportClass.RC,
            Operation.MASKED_FETCH_ADD,
            Position.SINGLE,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    /** The request of a masked compare-and-swap of 64 bits (XRC); manufacturer-specific. */
    XRC_MASKED_COMPARE_SWAP(
            0xF3,
            TransportClass.XRC,
            Operation.MASKED_COMPARE_SWAP,
            Position.SINGLE,
            Header.XRCETH,
            Header.ATOMICETH,
            Header.ATOMICMASKETH),
    /** The request of a masked fetch-and-add to several fields (XRC); manufacturer-specific. */
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

    /** Maximum number of bytes before the payload, BTH included. */
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

    @SuppressWarnings("ImmutableEnumChecker") // List.copyOf makes it immutable
    private final List<Header> headers;

    /** Offset of each header from the BTH, indexed by ordinal; -1 for headers that the opcode does not have. */
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

    /**
     * Returns true if {@code other} can be a packet of the same message, or of the same message with another
     * segmentation.
     */
    private boolean isSameMessageAs(Opcode other) {
        boolean sameFamily = transport == other.transport && operation == other.operation;
        // First and middle packets do not depend on the suffix of the last one.
        return sameFamily && (!other.position.ends() || suffix().equals(other.suffix()));
    }

    /** Returns true if both opcodes are equal except for the transport class. */
    private boolean isSamePacketAs(Opcode other) {
        return operation == other.operation && position == other.position && suffix().equals(other.suffix());
    }

    /**
     * {@return the opcode with a code, or null if there is none}
     *
     * @param code only the lower 8 bits are used
     */
    public static @Nullable Opcode of(int code) {
        return BY_CODE[code & 0xFF];
    }

    /** {@return the code in the BTH, 8 bits} */
    public int code() {
        return code;
    }

    /** {@return the name as text: {@code RC SEND Only Immediate}} */
    public String text() {
        return text;
    }

    /** {@return the transport class of the queue pair} */
    public TransportClass transport() {
        return transport;
    }

    /** {@return the operation} */
    public Operation operation() {
        return operation;
    }

    /** {@return the position of the packet in its message} */
    public Position position() {
        return position;
    }

    /** {@return all headers in the order of the wire, the BTH first} */
    public List<Header> headers() {
        return headers;
    }

    /**
     * {@return true if {@code header} is among {@link #headers()}}
     *
     * @param header any
     */
    public boolean carries(Header header) {
        return offsets[header.ordinal()] >= 0;
    }

    /**
     * {@return offset of {@code header} from the BTH in bytes; -1 if the opcode does not have it}
     *
     * @param header any
     */
    public int offsetOf(Header header) {
        return offsets[header.ordinal()];
    }

    /** {@return bytes of all headers, the BTH included: the offset of the payload from the BTH} */
    public int headerBytes() {
        return headerBytes;
    }

    /**
     * {@return the opcode at position {@code wanted} of the same message} For {@code RC_SEND_ONLY_IMMEDIATE} and
     * {@code FIRST} it is {@code RC_SEND_FIRST}; with {@code LAST} it is {@code RC_SEND_LAST_IMMEDIATE}. A requester
     * stores the ONLY form of a work request and derives the packets from it.
     *
     * @param wanted position in a message
     * @throws IllegalArgumentException if a message of this kind has no packet at that position
     */
    public Opcode withPosition(Position wanted) {
        Opcode opcode = BY_POSITION[ordinal()][wanted.ordinal()];
        if (opcode == null) {
            throw new IllegalArgumentException(text + " has no counterpart at position " + wanted);
        }
        return opcode;
    }

    /**
     * {@return the same operation of transport class {@code wanted}; null if that class does not have it}
     *
     * @param wanted transport class of the result
     */
    public @Nullable Opcode forTransport(TransportClass wanted) {
        return BY_TRANSPORT[ordinal()][wanted.ordinal()];
    }

    /** {@return true for packets from requester to responder, {@code RXE_REQ_MASK}} */
    public boolean isRequest() {
        return request;
    }

    /** {@return true for packets from responder to requester, {@code RXE_ACK_MASK} and READ responses} */
    public boolean isResponse() {
        return response;
    }

    /** {@return true for the packet that starts a message, {@code RXE_START_MASK}} */
    public boolean startsMessage() {
        return position.starts();
    }

    /** {@return true for the packet that ends a message, {@code RXE_END_MASK}} */
    public boolean endsMessage() {
        return position.ends();
    }

    /** {@return true if payload may follow the headers, {@code RXE_PAYLOAD_MASK}} */
    public boolean hasPayload() {
        return payload;
    }

    /** {@return true if the responder needs a receive work request at this packet, {@code RXE_RWR_MASK}} */
    public boolean takesReceive() {
        return takesReceive;
    }

    /** {@return true if this packet completes a receive work request, {@code RXE_COMP_MASK}} */
    public boolean completesReceive() {
        return completesReceive;
    }

    /** {@return true for Compare Swap and Fetch Add, masked or not, {@code RXE_ATOMIC_MASK}} */
    public boolean isAtomic() {
        return atomic;
    }

    /**
     * {@return true if the requester requests an acknowledgement with this packet: the last packet of a reliable
     * request}
     */
    public boolean isAckNeeded() {
        return ackNeeded;
    }

    /** {@return true if the request has its own response, which a later ACK cannot replace} */
    public boolean hasOwnResponse() {
        return ownResponse;
    }
}
