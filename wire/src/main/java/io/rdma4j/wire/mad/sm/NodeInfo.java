// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute NodeInfo of subnet management (IBA 14.2.5.3): what a node is, seen from one of its ports. */
public final class NodeInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("NodeInfo");
    /** Base version. */
    public static final MadField BASE_VERSION = FIELDS.component(2).decimal("baseVersion", 0, 8);
    /** Class version. */
    public static final MadField CLASS_VERSION = FIELDS.decimal("classVersion", 1, 8);
    /** 1 channel adapter, 2 switch, 3 router. */
    public static final MadField NODE_TYPE = FIELDS.decimal("nodeType", 2, 8);
    /** Number of ports. */
    public static final MadField NUM_PORTS = FIELDS.decimal("numPorts", 3, 8);
    /** GUID of the system. */
    public static final MadField SYSTEM_IMAGE_GUID = FIELDS.hex("systemImageGuid", 4, 64);
    /** GUID of the node. */
    public static final MadField NODE_GUID = FIELDS.hex("nodeGuid", 12, 64);
    /** GUID of the port at which the request arrived. */
    public static final MadField PORT_GUID = FIELDS.hex("portGuid", 20, 64);
    /** Entries of the P_Key table. */
    public static final MadField PARTITION_CAP = FIELDS.decimal("partitionCap", 28, 16);
    /** Device ID of the vendor. */
    public static final MadField DEVICE_ID = FIELDS.hex("deviceId", 30, 16);
    /** Revision of the device. */
    public static final MadField REVISION = FIELDS.hex("revision", 32, 32);
    /** Port at which the request arrived. */
    public static final MadField LOCAL_PORT_NUM = FIELDS.decimal("localPort", 36, 8);
    /** Vendor of the device. */
    public static final MadField VENDOR_ID = FIELDS.hex("vendorId", 37, 24);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(40);

    private NodeInfo() {}
}
