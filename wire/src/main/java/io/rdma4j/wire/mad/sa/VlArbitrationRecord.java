// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.VlArbitrationTable;

/** A block of the arbitration tables of a port (IBA 15.2.5.9). */
public final class VlArbitrationRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("VLArbitrationTableRecord");
    /** LID of the node. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Port by which packets leave. */
    public static final MadField PORT_NUM = FIELDS.decimal("portNum", 2, 8);
    /** 1 and 2 for the halves of the low table, 3 and 4 for those of the high one. */
    public static final MadField BLOCK = FIELDS.decimal("block", 3, 8);
    /** Offset of {@link VlArbitrationTable}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(VlArbitrationTable.LAYOUT, TABLE).build(72);

    private VlArbitrationRecord() {}
}
