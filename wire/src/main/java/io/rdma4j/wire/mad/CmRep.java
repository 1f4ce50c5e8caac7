// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Reply to a request for communication (IBA 12.6.8). */
public final class CmRep {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("REP");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Q_Key; datagrams only. */
    public static final MadField LOCAL_QKEY = FIELDS.hex("localQkey", 8, 32);
    /** Queue pair of the sender; 0 for an XRC target. */
    public static final MadField LOCAL_QPN = FIELDS.hex("localQpn", 12, 24);
    /** Bits 16 to 23 of the vendor of the enhanced connection establishment. */
    public static final MadField VENDOR_ID_HIGH = FIELDS.hex("vendorIdHigh", 15, 8);
    /** Queue pair of an XRC target. */
    public static final MadField LOCAL_EECN = FIELDS.hex("localEecn", 16, 24);
    /** Bits 8 to 15 of the vendor. */
    public static final MadField VENDOR_ID_MIDDLE = FIELDS.hex("vendorIdMiddle", 19, 8);
    /** First PSN that the receiver of this message sends. */
    public static final MadField STARTING_PSN = FIELDS.hex("startingPsn", 20, 24);
    /** Bits 0 to 7 of the vendor. */
    public static final MadField VENDOR_ID_LOW = FIELDS.hex("vendorIdLow", 23, 8);
    /** READs and atomics that the sender serves at once. */
    public static final MadField RESPONDER_RESOURCES = FIELDS.decimal("responderResources", 24, 8);
    /** READs and atomics that the sender has outstanding at once. */
    public static final MadField INITIATOR_DEPTH = FIELDS.decimal("initiatorDepth", 25, 8);
    /** Time within which the sender's device acknowledges, exponent of 4.096 µs. */
    public static final MadField TARGET_ACK_DELAY = FIELDS.decimal("targetAckDelay", 26, 0, 5);
    /** The alternate path: 0 accepted, 1 not supported, 2 rejected. */
    public static final MadField FAILOVER_ACCEPTED = FIELDS.decimal("failoverAccepted", 26, 5, 2);
    /** 1 if the sender has end-to-end credits. */
    public static final MadField END_TO_END_FLOW_CONTROL = FIELDS.decimal("flowControl", 26, 7, 1);
    /** RNR retry count of the receiver of this message. */
    public static final MadField RNR_RETRY_COUNT = FIELDS.decimal("rnrRetryCount", 27, 0, 3);
    /** 1 if the queue pair has a shared receive queue. */
    public static final MadField SRQ = FIELDS.decimal("srq", 27, 3, 1);
    /** Node GUID of the sender. */
    public static final MadField LOCAL_CA_GUID = FIELDS.hex("localCaGuid", 28, 64);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 36, 196);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmRep() {}
}
