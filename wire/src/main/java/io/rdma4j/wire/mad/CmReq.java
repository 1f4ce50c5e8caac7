// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/**
 * Request for communication, the first message of a connection (IBA 12.6.5). Offsets count from the body, as for all CM
 * messages.
 */
public final class CmReq {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("REQ");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Vendor of the enhanced connection establishment, or 0. */
    public static final MadField VENDOR_ID = FIELDS.hex("vendorId", 5, 24);
    /** The service that the receiver listens for. */
    public static final MadField SERVICE_ID = FIELDS.hex("serviceId", 8, 64);
    /** Node GUID of the sender. */
    public static final MadField LOCAL_CA_GUID = FIELDS.hex("localCaGuid", 16, 64);
    /** Q_Key; reliable datagrams only. */
    public static final MadField LOCAL_QKEY = FIELDS.hex("localQkey", 28, 32);
    /** Queue pair of the sender. */
    public static final MadField LOCAL_QPN = FIELDS.hex("localQpn", 32, 24);
    /** READs and atomics that the sender serves at once. */
    public static final MadField RESPONDER_RESOURCES = FIELDS.decimal("responderResources", 35, 8);
    /** End-to-end context; reliable datagrams only. */
    public static final MadField LOCAL_EECN = FIELDS.hex("localEecn", 36, 24);
    /** READs and atomics that the sender has outstanding at once. */
    public static final MadField INITIATOR_DEPTH = FIELDS.decimal("initiatorDepth", 39, 8);
    /** End-to-end context; reliable datagrams only. */
    public static final MadField REMOTE_EECN = FIELDS.hex("remoteEecn", 40, 24);
    /** Time within which the receiver answers this message, exponent of 4.096 µs. */
    public static final MadField REMOTE_CM_RESPONSE_TIMEOUT = FIELDS.decimal("remoteCmTimeout", 43, 0, 5);
    /** 0 RC, 1 UC, 2 RD, 3 see {@link #EXTENDED_TRANSPORT}. */
    public static final MadField TRANSPORT_SERVICE_TYPE = FIELDS.decimal("transportType", 43, 5, 2);
    /** 1 if the sender has end-to-end credits. */
    public static final MadField END_TO_END_FLOW_CONTROL = FIELDS.decimal("flowControl", 43, 7, 1);
    /** First PSN that the receiver of this message sends. */
    public static final MadField STARTING_PSN = FIELDS.hex("startingPsn", 44, 24);
    /** Time within which the sender answers the REP, exponent of 4.096 µs. */
    public static final MadField LOCAL_CM_RESPONSE_TIMEOUT = FIELDS.decimal("localCmTimeout", 47, 0, 5);
    /** Retry count of the receiver of this message. */
    public static final MadField RETRY_COUNT = FIELDS.decimal("retryCount", 47, 5, 3);
    /** P_Key of the connection. */
    public static final MadField PARTITION_KEY = FIELDS.hex("pkey", 48, 16);
    /** Path MTU, 1 for 256 bytes to 5 for 4096. */
    public static final MadField PATH_MTU = FIELDS.decimal("pathMtu", 50, 0, 4);
    /** Reliable datagrams only. */
    public static final MadField RDC_EXISTS = FIELDS.decimal("rdcExists", 50, 4, 1);
    /** RNR retry count of the receiver of this message. */
    public static final MadField RNR_RETRY_COUNT = FIELDS.decimal("rnrRetryCount", 50, 5, 3);
    /** How often the receiver repeats its REP. */
    public static final MadField MAX_CM_RETRIES = FIELDS.decimal("maxCmRetries", 51, 0, 4);
    /** 1 if the queue pair has a shared receive queue. */
    public static final MadField SRQ = FIELDS.decimal("srq", 51, 4, 1);
    /** With transport type 3: 1 for XRC. */
    public static final MadField EXTENDED_TRANSPORT = FIELDS.decimal("extendedTransport", 51, 5, 3);
    /** Primary path: LID of the sender; 0xFFFF on RoCE. */
    public static final MadField PRIMARY_LOCAL_PORT_LID = FIELDS.hex("primaryLocalLid", 52, 16);
    /** Primary path: LID of the receiver; 0xFFFF on RoCE. */
    public static final MadField PRIMARY_REMOTE_PORT_LID = FIELDS.hex("primaryRemoteLid", 54, 16);
    /** Primary path: GID of the sender. */
    public static final MadField PRIMARY_LOCAL_PORT_GID = FIELDS.gid("primaryLocalGid", 56);
    /** Primary path: GID of the receiver. */
    public static final MadField PRIMARY_REMOTE_PORT_GID = FIELDS.gid("primaryRemoteGid", 72);
    /** Primary path: flow label of both directions. */
    public static final MadField PRIMARY_FLOW_LABEL = FIELDS.hex("primaryFlowLabel", 88, 20);
    /** Primary path: static rate, enumeration of IBA 9.11; 0 for that of the port. */
    public static final MadField PRIMARY_PACKET_RATE = FIELDS.decimal("primaryRate", 91, 2, 6);
    /** Primary path: traffic class. */
    public static final MadField PRIMARY_TRAFFIC_CLASS = FIELDS.hex("primaryTrafficClass", 92, 8);
    /** Primary path: hop limit. */
    public static final MadField PRIMARY_HOP_LIMIT = FIELDS.decimal("primaryHopLimit", 93, 8);
    /** Primary path: service level. */
    public static final MadField PRIMARY_SL = FIELDS.decimal("primarySl", 94, 0, 4);
    /** Primary path: 1 if the path stays within the subnet. */
    public static final MadField PRIMARY_SUBNET_LOCAL = FIELDS.decimal("primarySubnetLocal", 94, 4, 1);
    /** Primary path: local ACK timeout of the sender, exponent of 4.096 µs. */
    public static final MadField PRIMARY_LOCAL_ACK_TIMEOUT = FIELDS.decimal("primaryAckTimeout", 95, 0, 5);
    /** Alternate path: LID of the sender; 0xFFFF on RoCE. */
    public static final MadField ALTERNATE_LOCAL_PORT_LID = FIELDS.hex("alternateLocalLid", 96, 16);
    /** Alternate path: LID of the receiver; 0xFFFF on RoCE. */
    public static final MadField ALTERNATE_REMOTE_PORT_LID = FIELDS.hex("alternateRemoteLid", 98, 16);
    /** Alternate path: GID of the sender. */
    public static final MadField ALTERNATE_LOCAL_PORT_GID = FIELDS.gid("alternateLocalGid", 100);
    /** Alternate path: GID of the receiver. */
    public static final MadField ALTERNATE_REMOTE_PORT_GID = FIELDS.gid("alternateRemoteGid", 116);
    /** Alternate path: flow label of both directions. */
    public static final MadField ALTERNATE_FLOW_LABEL = FIELDS.hex("alternateFlowLabel", 132, 20);
    /** Alternate path: static rate, enumeration of IBA 9.11; 0 for that of the port. */
    public static final MadField ALTERNATE_PACKET_RATE = FIELDS.decimal("alternateRate", 135, 2, 6);
    /** Alternate path: traffic class. */
    public static final MadField ALTERNATE_TRAFFIC_CLASS = FIELDS.hex("alternateTrafficClass", 136, 8);
    /** Alternate path: hop limit. */
    public static final MadField ALTERNATE_HOP_LIMIT = FIELDS.decimal("alternateHopLimit", 137, 8);
    /** Alternate path: service level. */
    public static final MadField ALTERNATE_SL = FIELDS.decimal("alternateSl", 138, 0, 4);
    /** Alternate path: 1 if the path stays within the subnet. */
    public static final MadField ALTERNATE_SUBNET_LOCAL = FIELDS.decimal("alternateSubnetLocal", 138, 4, 1);
    /** Alternate path: local ACK timeout of the sender, exponent of 4.096 µs. */
    public static final MadField ALTERNATE_LOCAL_ACK_TIMEOUT = FIELDS.decimal("alternateAckTimeout", 139, 0, 5);
    /** Data of the program; 36 bytes of {@link RdmaCmHeader} come first if it uses rdma_cm. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 140, 92);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmReq() {}
}
