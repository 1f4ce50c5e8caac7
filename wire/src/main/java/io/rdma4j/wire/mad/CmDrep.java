// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Reply to a request for disconnection (IBA 12.6.11). */
public final class CmDrep {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("DREP");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 8, 224);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmDrep() {}
}
