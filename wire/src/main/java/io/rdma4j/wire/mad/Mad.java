// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import java.lang.foreign.MemorySegment;

/**
 * A management datagram: 256 bytes, of which the first 24 are the common header (IBA 13.4.2), {@code struct
 * ib_mad_hdr}.
 *
 * <pre>
 *     0                   1                   2                   3
 *     0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *    +---------------+---------------+---------------+---------------+
 *  0 | base version  |     class     | class version |R|   method    |
 *    +---------------+---------------+---------------+---------------+
 *  4 |            status             |        class-specific         |
 *    +-------------------------------+-------------------------------+
 *  8 |                                                               |
 *    |                        transaction id                         |
 *    +-------------------------------+-------------------------------+
 * 16 |         attribute id          |           reserved            |
 *    +-------------------------------+-------------------------------+
 * 20 |                      attribute modifier                       |
 *    +---------------------------------------------------------------+
 * 24 |                             data ...                          |
 * </pre>
 *
 * R is set in responses.
 */
public final class Mad {
    /** Bytes of every datagram. */
    public static final int BYTES = 256;
    /** Bytes of the common header. */
    public static final int HEADER_BYTES = 24;
    /** Bytes after the common header. */
    public static final int DATA_BYTES = BYTES - HEADER_BYTES;
    /** The only base version. */
    public static final int BASE_VERSION_1 = 1;

    private static final MadLayout.Builder FIELDS = MadLayout.builder("MAD");
    /** 1. */
    public static final MadField BASE_VERSION = FIELDS.decimal("baseVersion", 0, 8);
    /** {@link MadClass#code}. */
    public static final MadField MGMT_CLASS = FIELDS.hex("mgmtClass", 1, 8);
    /** 2 for SA and CM, 1 for other classes. */
    public static final MadField CLASS_VERSION = FIELDS.decimal("classVersion", 2, 8);
    /** {@link MadMethod#code}, with {@link MadMethod#RESPONSE}. */
    public static final MadField METHOD = FIELDS.hex("method", 3, 8);
    /** {@link MadStatus}; 0 in requests. */
    public static final MadField STATUS = FIELDS.hex("status", 4, 16);
    /** Hop pointer and hop count of directed-route datagrams, otherwise 0. */
    public static final MadField CLASS_SPECIFIC = FIELDS.hex("classSpecific", 6, 16);
    /** Upper half: the agent that sent the request. A response has the ID of its request. */
    public static final MadField TRANSACTION_ID = FIELDS.hex("tid", 8, 64);
    /** The structure of the data, within the class. */
    public static final MadField ATTRIBUTE_ID = FIELDS.hex("attributeId", 16, 16);
    /** Selects a part or an operation of the attribute. */
    public static final MadField ATTRIBUTE_MODIFIER = FIELDS.hex("attributeModifier", 20, 32);
    /** The common header. */
    public static final MadLayout LAYOUT = FIELDS.build(HEADER_BYTES);

    private Mad() {}

    /**
     * {@return the result of a check of length and base version} Receivers call it before any other accessor.
     *
     * @param segment the memory of the datagram
     * @param offset of its first byte
     * @param length bytes of the datagram
     */
    public static MadCheck check(MemorySegment segment, long offset, int length) {
        if (length < BYTES || segment.byteSize() - offset < BYTES) {
            return MadCheck.TOO_SHORT;
        }
        return BASE_VERSION.get(segment, offset) == BASE_VERSION_1 ? MadCheck.OK : MadCheck.BAD_VERSION;
    }

    /**
     * Writes a common header, with status and reserved fields 0. The rest of the datagram is set to zero.
     *
     * @param segment the memory of the datagram, 256 bytes from {@code offset} on
     * @param offset of its first byte
     * @param mgmtClass class and its version
     * @param method 8 bits
     * @param attributeId 16 bits
     * @param transactionId 64 bits
     */
    public static void write(
            MemorySegment segment, long offset, MadClass mgmtClass, int method, int attributeId, long transactionId) {
        segment.asSlice(offset, BYTES).fill((byte) 0);
        BASE_VERSION.put(segment, offset, BASE_VERSION_1);
        MGMT_CLASS.put(segment, offset, mgmtClass.code());
        CLASS_VERSION.put(segment, offset, mgmtClass.version());
        METHOD.put(segment, offset, method);
        ATTRIBUTE_ID.put(segment, offset, attributeId);
        TRANSACTION_ID.put(segment, offset, transactionId);
    }

    /**
     * {@return true if the datagram answers a request: bit R, or a method or class with its own rule}
     *
     * @param segment the memory of the datagram
     * @param offset of its first byte
     */
    public static boolean isResponse(MemorySegment segment, long offset) {
        int method = METHOD.getInt(segment, offset);
        return (method & MadMethod.RESPONSE) != 0
                || method == MadMethod.TRAP_REPRESS.code()
                || MGMT_CLASS.getInt(segment, offset) == MadClass.BM.code()
                        && (ATTRIBUTE_MODIFIER.getInt(segment, offset) & 1) != 0;
    }
}
