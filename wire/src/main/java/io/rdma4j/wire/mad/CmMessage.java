// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The table of CM messages (IBA 12.6, 12.8, 12.11): attribute ID, layout of the body, private data.
 *
 * <p>All messages have the class {@link MadClass#COM_MGT} and the method {@link MadMethod#SEND}. Offsets of their
 * fields count from {@link #BODY}.
 */
public enum CmMessage {
    /** Request for communication. */
    REQ(0x0010, CmReq.LAYOUT, CmReq.PRIVATE_DATA),
    /** Message receipt acknowledgement. */
    MRA(0x0011, CmMra.LAYOUT, CmMra.PRIVATE_DATA),
    /** Rejection. */
    REJ(0x0012, CmRej.LAYOUT, CmRej.PRIVATE_DATA),
    /** Reply to a request for communication. */
    REP(0x0013, CmRep.LAYOUT, CmRep.PRIVATE_DATA),
    /** Ready to use. */
    RTU(0x0014, CmRtu.LAYOUT, CmRtu.PRIVATE_DATA),
    /** Request for disconnection. */
    DREQ(0x0015, CmDreq.LAYOUT, CmDreq.PRIVATE_DATA),
    /** Reply to a request for disconnection. */
    DREP(0x0016, CmDrep.LAYOUT, CmDrep.PRIVATE_DATA),
    /** Service ID resolution request. */
    SIDR_REQ(0x0017, CmSidrReq.LAYOUT, CmSidrReq.PRIVATE_DATA),
    /** Service ID resolution reply. */
    SIDR_REP(0x0018, CmSidrRep.LAYOUT, CmSidrRep.PRIVATE_DATA),
    /** Load alternate path. */
    LAP(0x0019, CmLap.LAYOUT, CmLap.PRIVATE_DATA),
    /** Alternate path response. */
    APR(0x001A, CmApr.LAYOUT, CmApr.PRIVATE_DATA),
    /** Suggest alternate path. */
    SAP(0x001B, CmSuggestion.LAYOUT, null),
    /** Suggest alternate path response. */
    SPR(0x001C, CmSuggestion.LAYOUT, null);

    /** Offset of the body in the datagram. */
    public static final int BODY = Mad.HEADER_BYTES;

    private final int attributeId;

    @SuppressWarnings("ImmutableEnumChecker") // has no state that changes
    private final MadLayout layout;

    @SuppressWarnings("ImmutableEnumChecker") // has no state that changes
    private final @Nullable MadField privateData;

    CmMessage(int attributeId, MadLayout layout, @Nullable MadField privateData) {
        this.attributeId = attributeId;
        this.layout = layout;
        this.privateData = privateData;
    }

    /** {@return 16 bits} */
    public int attributeId() {
        return attributeId;
    }

    /** {@return the fields of the body} */
    public MadLayout layout() {
        return layout;
    }

    /** {@return the field with the data of the program, or null} */
    public @Nullable MadField privateData() {
        return privateData;
    }

    /**
     * {@return the message with this attribute ID, or null}
     *
     * @param attributeId 16 bits
     */
    public static @Nullable CmMessage of(int attributeId) {
        int index = attributeId - REQ.attributeId;
        return index >= 0 && index < values().length ? values()[index] : null;
    }

    /**
     * Writes the common header of a message and sets its body to zero.
     *
     * @param segment the memory of the datagram, 256 bytes from {@code offset} on
     * @param offset of the datagram's first byte
     * @param transactionId 64 bits
     */
    public void write(MemorySegment segment, long offset, long transactionId) {
        Mad.write(segment, offset, MadClass.COM_MGT, MadMethod.SEND.code(), attributeId, transactionId);
    }
}
