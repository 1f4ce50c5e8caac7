// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire;

import io.rdma4j.wire.bytes.BigEndian;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The base transport header, first in every packet (IBA 9.2), {@code struct rxe_bth}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+-+-+---+-------+-------------------------------+
 *  0 |    opcode     |S|M|Pad| TVer  |         partition key         |
 *    +-+-+-----------+-+-+---+-------+-------------------------------+
 *  4 |F|B| reserved  |            destination queue pair             |
 *    +-+-+-----------+-----------------------------------------------+
 *  8 |A|  reserved   |            packet sequence number             |
 *    +-+-------------+-----------------------------------------------+
 * </pre>
 *
 * S solicited event, M migration request, F and B forward and backward congestion notification, A acknowledge request.
 * The byte of F and B is not covered by the invariant CRC: switches may set it.
 */
public final class Bth {
    /** Bytes of the header, {@code RXE_BTH_BYTES}. */
    public static final int BYTES = 12;
    /** Offset of the byte with the congestion bits, which the invariant CRC does not cover. */
    public static final int CONGESTION = 4;

    private static final int FLAGS = 1;
    private static final int PKEY = 2;
    private static final int QPN = 4;
    private static final int PSN = 8;
    private static final int SOLICITED_EVENT = 0x80;
    private static final int MIGRATION_REQUEST = 0x40;
    private static final int PAD_SHIFT = 4;
    private static final int PAD_MASK = 3;
    private static final int VERSION_MASK = 0xF;
    private static final int FECN = 0x80;
    private static final int BECN = 0x40;
    private static final int ACK_REQUEST = 0x80;

    private Bth() {}

    /**
     * Writes a header with transport version 0 and no congestion notification.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param opcode 8 bits are written
     * @param solicitedEvent requests a completion event at a receiver that waits for solicited completions only
     * @param migrationRequest path migration state: true if migrated
     * @param padCount zero bytes between payload and ICRC, 0..3
     * @param pkey partition key, 16 bits
     * @param destinationQpn 24 bits
     * @param ackRequest requests an acknowledgement from the responder
     * @param psn 24 bits
     */
    public static void write(
            MemorySegment segment,
            long offset,
            Opcode opcode,
            boolean solicitedEvent,
            boolean migrationRequest,
            int padCount,
            int pkey,
            int destinationQpn,
            boolean ackRequest,
            int psn) {
        int flags = (solicitedEvent ? SOLICITED_EVENT : 0)
                | (migrationRequest ? MIGRATION_REQUEST : 0)
                | (padCount & PAD_MASK) << PAD_SHIFT;
        long kind = (long) (opcode.code() << 24 | flags << 16 | pkey & 0xFFFF) << 32;
        BigEndian.put64(segment, offset, kind | destinationQpn & 0xFF_FFFF);
        BigEndian.put32(segment, offset + PSN, (ackRequest ? ACK_REQUEST << 24 : 0) | (psn & 0xFF_FFFF));
    }

    /**
     * {@return the opcode, or null for an unknown code}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static @Nullable Opcode opcode(MemorySegment segment, long offset) {
        return Opcode.of(opcodeCode(segment, offset));
    }

    /**
     * {@return the opcode as a number, 8 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int opcodeCode(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset);
    }

    /**
     * Replaces the opcode; the caller updates the headers that follow.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param opcode 8 bits are written
     */
    public static void opcode(MemorySegment segment, long offset, Opcode opcode) {
        BigEndian.put8(segment, offset, opcode.code());
    }

    /**
     * {@return true if the sender requests a solicited completion event}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean solicitedEvent(MemorySegment segment, long offset) {
        return bit(segment, offset + FLAGS, SOLICITED_EVENT);
    }

    /**
     * Sets or clears the request of a solicited completion event.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param solicited true to request it
     */
    public static void solicitedEvent(MemorySegment segment, long offset, boolean solicited) {
        bit(segment, offset + FLAGS, SOLICITED_EVENT, solicited);
    }

    /**
     * {@return true if the sender's path has migrated}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean migrationRequest(MemorySegment segment, long offset) {
        return bit(segment, offset + FLAGS, MIGRATION_REQUEST);
    }

    /**
     * {@return zero bytes between payload and ICRC, 0..3}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int padCount(MemorySegment segment, long offset) {
        return (BigEndian.get8(segment, offset + FLAGS) >>> PAD_SHIFT) & PAD_MASK;
    }

    /**
     * Sets the number of zero bytes between payload and ICRC, 0..3.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param padCount 2 bits
     */
    public static void padCount(MemorySegment segment, long offset, int padCount) {
        int others = BigEndian.get8(segment, offset + FLAGS) & ~(PAD_MASK << PAD_SHIFT);
        BigEndian.put8(segment, offset + FLAGS, others | (padCount & PAD_MASK) << PAD_SHIFT);
    }

    /**
     * {@return version of the transport headers, 4 bits; only 0 is defined}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int transportVersion(MemorySegment segment, long offset) {
        return BigEndian.get8(segment, offset + FLAGS) & VERSION_MASK;
    }

    /**
     * {@return partition key, 16 bits: bit 15 is full membership}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int pkey(MemorySegment segment, long offset) {
        return BigEndian.get16(segment, offset + PKEY);
    }

    /**
     * {@return forward explicit congestion notification: the packet met congestion}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean fecn(MemorySegment segment, long offset) {
        return bit(segment, offset + CONGESTION, FECN);
    }

    /**
     * Sets forward explicit congestion notification.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param fecn true if the packet met congestion
     */
    public static void fecn(MemorySegment segment, long offset, boolean fecn) {
        bit(segment, offset + CONGESTION, FECN, fecn);
    }

    /**
     * {@return backward explicit congestion notification: the flow in the other direction met congestion}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean becn(MemorySegment segment, long offset) {
        return bit(segment, offset + CONGESTION, BECN);
    }

    /**
     * Sets backward explicit congestion notification.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param becn true if the flow in the other direction met congestion
     */
    public static void becn(MemorySegment segment, long offset, boolean becn) {
        bit(segment, offset + CONGESTION, BECN, becn);
    }

    /**
     * {@return destination queue pair, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int destinationQpn(MemorySegment segment, long offset) {
        return BigEndian.getLow24(segment, offset + QPN);
    }

    /**
     * {@return true if the sender requests an acknowledgement of this packet}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static boolean ackRequest(MemorySegment segment, long offset) {
        return bit(segment, offset + PSN, ACK_REQUEST);
    }

    /**
     * Sets or clears the request of an acknowledgement.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param ackRequest true to request it
     */
    public static void ackRequest(MemorySegment segment, long offset, boolean ackRequest) {
        bit(segment, offset + PSN, ACK_REQUEST, ackRequest);
    }

    /**
     * {@return packet sequence number, 24 bits}
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     */
    public static int psn(MemorySegment segment, long offset) {
        return BigEndian.getLow24(segment, offset + PSN);
    }

    /**
     * Sets the packet sequence number, 24 bits; the acknowledge request is not changed.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param psn 24 bits
     */
    public static void psn(MemorySegment segment, long offset, int psn) {
        BigEndian.putLow24(segment, offset + PSN, psn);
    }

    /**
     * Passes the fields to {@code sink}; flags and numbers that are zero in most packets only if they are not zero.
     *
     * @param segment the memory of the packet
     * @param offset of the header's first byte in {@code segment}
     * @param sink receives name and value of each field
     */
    public static void describe(MemorySegment segment, long offset, FieldSink sink) {
        sink.hex("qpn", destinationQpn(segment, offset), 6);
        sink.hex("psn", psn(segment, offset), 6);
        sink.hex("pkey", pkey(segment, offset), 4);
        flag(sink, "ackReq", ackRequest(segment, offset));
        flag(sink, "solicited", solicitedEvent(segment, offset));
        flag(sink, "migrated", migrationRequest(segment, offset));
        flag(sink, "fecn", fecn(segment, offset));
        flag(sink, "becn", becn(segment, offset));
        if (padCount(segment, offset) != 0) {
            sink.decimal("pad", padCount(segment, offset));
        }
    }

    private static void flag(FieldSink sink, String name, boolean set) {
        if (set) {
            sink.decimal(name, 1);
        }
    }

    private static boolean bit(MemorySegment segment, long offset, int mask) {
        return (BigEndian.get8(segment, offset) & mask) != 0;
    }

    private static void bit(MemorySegment segment, long offset, int mask, boolean set) {
        int others = BigEndian.get8(segment, offset) & ~mask;
        BigEndian.put8(segment, offset, set ? others | mask : others);
    }
}
