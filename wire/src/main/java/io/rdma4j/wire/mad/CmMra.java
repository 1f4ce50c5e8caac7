// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Message receipt acknowledgement: the sender needs more time for its answer (IBA 12.6.6). */
public final class CmMra {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MRA");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** The message that was received: 0 REQ, 1 REP, 2 LAP. */
    public static final MadField MESSAGE = FIELDS.decimal("message", 8, 0, 2);
    /** Time within which the sender answers, exponent of 4.096 µs. */
    public static final MadField SERVICE_TIMEOUT = FIELDS.decimal("serviceTimeout", 9, 0, 5);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 10, 222);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmMra() {}
}
