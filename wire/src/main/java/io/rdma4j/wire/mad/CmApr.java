// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Alternate path response (IBA 12.8.2). */
public final class CmApr {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("APR");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Bytes of {@link #INFO} that are valid. */
    public static final MadField INFO_LENGTH = FIELDS.decimal("infoLength", 8, 8);
    /** {@link AlternatePathStatus}. */
    public static final MadField STATUS = FIELDS.decimal("status", 9, 8);
    /** Additional information about a rejection. */
    public static final MadField INFO = FIELDS.bytes("info", 12, 72);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 84, 148);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmApr() {}
}
