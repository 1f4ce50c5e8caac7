// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.LinearForwardingTable;

/** A block of a linear forwarding table (IBA 15.2.5.6). */
public final class LinearForwardingRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("LinearForwardingTableRecord");
    /** LID of the switch. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the block of 64 LIDs. */
    public static final MadField BLOCK = FIELDS.decimal("block", 2, 16);
    /** Offset of {@link LinearForwardingTable}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(LinearForwardingTable.LAYOUT, TABLE).build(72);

    private LinearForwardingRecord() {}
}
