// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.RandomForwardingTable;

/** A block of a random forwarding table (IBA 15.2.5.7). */
public final class RandomForwardingRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("RandomForwardingTableRecord");
    /** LID of the switch. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the block of 16 entries. */
    public static final MadField BLOCK = FIELDS.decimal("block", 2, 16);
    /** Offset of {@link RandomForwardingTable}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(RandomForwardingTable.LAYOUT, TABLE).build(72);

    private RandomForwardingRecord() {}
}
