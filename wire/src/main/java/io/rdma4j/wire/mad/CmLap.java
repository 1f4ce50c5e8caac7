// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Load alternate path (IBA 12.8.1). */
public final class CmLap {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("LAP");
    /** Communication ID of the sender. */
    public static final MadField LOCAL_COMM_ID = FIELDS.hex("localCommId", 0, 32);
    /** Communication ID of the receiver. */
    public static final MadField REMOTE_COMM_ID = FIELDS.hex("remoteCommId", 4, 32);
    /** Queue pair of the receiver. */
    public static final MadField REMOTE_QPN = FIELDS.hex("remoteQpn", 12, 24);
    /** Time within which the receiver answers this message, exponent of 4.096 µs. */
    public static final MadField REMOTE_CM_RESPONSE_TIMEOUT = FIELDS.decimal("remoteCmTimeout", 15, 0, 5);
    /** Alternate path: LID of the sender; 0xFFFF on RoCE. */
    public static final MadField ALTERNATE_LOCAL_PORT_LID = FIELDS.hex("alternateLocalLid", 20, 16);
    /** Alternate path: LID of the receiver; 0xFFFF on RoCE. */
    public static final MadField ALTERNATE_REMOTE_PORT_LID = FIELDS.hex("alternateRemoteLid", 22, 16);
    /** Alternate path: GID of the sender. */
    public static final MadField ALTERNATE_LOCAL_PORT_GID = FIELDS.gid("alternateLocalGid", 24);
    /** Alternate path: GID of the receiver. */
    public static final MadField ALTERNATE_REMOTE_PORT_GID = FIELDS.gid("alternateRemoteGid", 40);
    /** Alternate path: flow label of both directions. */
    public static final MadField ALTERNATE_FLOW_LABEL = FIELDS.hex("alternateFlowLabel", 56, 20);
    /** Alternate path: static rate, enumeration of IBA 9.11; 0 for that of the port. */
    public static final MadField ALTERNATE_PACKET_RATE = FIELDS.decimal("alternateRate", 61, 2, 6);
    /** Alternate path: traffic class. */
    public static final MadField ALTERNATE_TRAFFIC_CLASS = FIELDS.hex("alternateTrafficClass", 59, 8);
    /** Alternate path: hop limit. */
    public static final MadField ALTERNATE_HOP_LIMIT = FIELDS.decimal("alternateHopLimit", 60, 8);
    /** Alternate path: service level. */
    public static final MadField ALTERNATE_SL = FIELDS.decimal("alternateSl", 62, 0, 4);
    /** Alternate path: 1 if the path stays within the subnet. */
    public static final MadField ALTERNATE_SUBNET_LOCAL = FIELDS.decimal("alternateSubnetLocal", 62, 4, 1);
    /** Alternate path: local ACK timeout of the sender, exponent of 4.096 µs. */
    public static final MadField ALTERNATE_LOCAL_ACK_TIMEOUT = FIELDS.decimal("alternateAckTimeout", 63, 0, 5);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 64, 168);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmLap() {}
}
