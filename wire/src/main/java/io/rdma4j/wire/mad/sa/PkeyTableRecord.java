// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.PkeyTableBlock;

/** A block of the P_Key table of a port (IBA 15.2.5.11). */
public final class PkeyTableRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("P_KeyTableRecord");
    /** LID of the node. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the block of 32 P_Keys. */
    public static final MadField BLOCK = FIELDS.decimal("block", 2, 16);
    /** Number of the port. */
    public static final MadField PORT_NUM = FIELDS.decimal("portNum", 4, 8);
    /** Offset of {@link PkeyTableBlock}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(PkeyTableBlock.LAYOUT, TABLE).build(72);

    private PkeyTableRecord() {}
}
