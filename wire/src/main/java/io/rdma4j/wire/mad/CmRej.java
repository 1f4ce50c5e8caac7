// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Rejection of a request or reply (IBA 12.6.7). */
public final class CmRej {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("REJ");
    /** Communication ID of the sender; 0 if it has none yet. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID in the rejected message. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** The rejected message: 0 REQ, 1 REP, 2 another one. */
    public static final MadField MESSAGE = FIELDS.decimal("message", 8, 0, 2);
    /** Bytes of {@link #INFO} that are valid. */
    public static final MadField INFO_LENGTH = FIELDS.decimal("infoLength", 9, 0, 7);
    /** {@link RejectReason#code}. */
    public static final MadField REASON = FIELDS.decimal("reason", 10, 16);
    /** Additional reject information, such as an acceptable value. */
    public static final MadField INFO = FIELDS.bytes("info", 12, 72);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 84, 148);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmRej() {}
}
