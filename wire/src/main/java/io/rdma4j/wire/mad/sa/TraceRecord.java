// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A node on a path (IBA 15.2.5.19). */
public final class TraceRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("TraceRecord");
    /** Prefix of the GIDs of the subnet. */
    public static final MadField GID_PREFIX = FIELDS.hex("gidPrefix", 0, 64);
    /** Changes when the IDs of nodes change. */
    public static final MadField ID_GENERATION = FIELDS.hex("idGeneration", 8, 16);
    /** 1 channel adapter, 2 switch, 3 router. */
    public static final MadField NODE_TYPE = FIELDS.decimal("nodeType", 11, 8);
    /** Identifies the node. */
    public static final MadField NODE_ID = FIELDS.hex("nodeId", 12, 64);
    /** Identifies the chassis of the node. */
    public static final MadField CHASSIS_ID = FIELDS.hex("chassisId", 20, 64);
    /** Identifies the port at which the path enters. */
    public static final MadField ENTRY_PORT_ID = FIELDS.hex("entryPortId", 28, 64);
    /** Identifies the port by which the path leaves. */
    public static final MadField EXIT_PORT_ID = FIELDS.hex("exitPortId", 36, 64);
    /** Number of that port. */
    public static final MadField ENTRY_PORT = FIELDS.decimal("entryPort", 44, 8);
    /** Number of that port. */
    public static final MadField EXIT_PORT = FIELDS.decimal("exitPort", 45, 8);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(48);

    private TraceRecord() {}
}
