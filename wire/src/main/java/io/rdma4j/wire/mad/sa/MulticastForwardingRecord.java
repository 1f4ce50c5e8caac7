// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.MulticastForwardingTable;

/** A block of a multicast forwarding table (IBA 15.2.5.8). */
public final class MulticastForwardingRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MulticastForwardingTableRecord");
    /** LID of the switch. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the group of 16 ports. */
    public static final MadField POSITION = FIELDS.decimal("position", 2, 0, 4);
    /** Number of the block of 32 multicast LIDs. */
    public static final MadField BLOCK = FIELDS.component(3).decimal("block", 2, 7, 9);
    /** Offset of {@link MulticastForwardingTable}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(MulticastForwardingTable.LAYOUT, TABLE).build(72);

    private MulticastForwardingRecord() {}
}
