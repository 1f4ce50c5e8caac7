// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Request for disconnection (IBA 12.6.10). */
public final class CmDreq {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("DREQ");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Queue pair of the receiver. */
    public static final MadField REMOTE_QPN = FIELDS.hex("remoteQpn", 8, 24);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 12, 220);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmDreq() {}
}
