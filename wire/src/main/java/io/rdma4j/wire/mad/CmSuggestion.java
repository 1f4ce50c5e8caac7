// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Suggestion of an alternate path and its response (SAP, SPR). Only the IDs are decoded. */
public final class CmSuggestion {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SAP");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmSuggestion() {}
}
