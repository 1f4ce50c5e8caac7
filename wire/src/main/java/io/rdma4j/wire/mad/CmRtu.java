// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Ready to use: the last message of the establishment of a connection (IBA 12.6.9). */
public final class CmRtu {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("RTU");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 8, 224);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmRtu() {}
}
