// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** A node of the subnet (IBA 15.2.5.2): LID, NodeInfo and NodeDescription. */
public final class NodeRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("NodeRecord");
    /** LID of the port that answered. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Base version. */
    public static final MadField BASE_VERSION = FIELDS.component(2).decimal("baseVersion", 4, 8);
    /** Class version. */
    public static final MadField CLASS_VERSION = FIELDS.decimal("classVersion", 5, 8);
    /** 1 channel adapter, 2 switch, 3 router. */
    public static final MadField NODE_TYPE = FIELDS.decimal("nodeType", 6, 8);
    /** Number of ports. */
    public static final MadField NUM_PORTS = FIELDS.decimal("numPorts", 7, 8);
    /** GUID of the system. */
    public static final MadField SYSTEM_IMAGE_GUID = FIELDS.hex("systemImageGuid", 8, 64);
    /** GUID of the node. */
    public static final MadField NODE_GUID = FIELDS.hex("nodeGuid", 16, 64);
    /** GUID of the port. */
    public static final MadField PORT_GUID = FIELDS.hex("portGuid", 24, 64);
    /** Entries of the P_Key table. */
    public static final MadField PARTITION_CAP = FIELDS.decimal("partitionCap", 32, 16);
    /** Device ID of the vendor. */
    public static final MadField DEVICE_ID = FIELDS.hex("deviceId", 34, 16);
    /** Revision of the device. */
    public static final MadField REVISION = FIELDS.hex("revision", 36, 32);
    /** Port that answered. */
    public static final MadField LOCAL_PORT_NUM = FIELDS.decimal("localPort", 40, 8);
    /** Vendor of the device. */
    public static final MadField VENDOR_ID = FIELDS.hex("vendorId", 41, 24);
    /** Text that describes the node. */
    public static final MadField NODE_DESCRIPTION = FIELDS.text("nodeDescription", 44, 64);
    /** The record. */
    public static final MadLayout LAYOUT = FIELDS.build(108);

    private NodeRecord() {}
}
