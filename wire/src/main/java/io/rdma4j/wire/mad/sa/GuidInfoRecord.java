// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.GuidInfo;

/** A block of GUIDs of a port (IBA 15.2.5.18): LID and {@link GuidInfo}. */
public final class GuidInfoRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("GUIDInfoRecord");
    /** LID of the port. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the block of 8 GUIDs. */
    public static final MadField BLOCK = FIELDS.decimal("block", 2, 8);
    /** Offset of {@link GuidInfo}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.embed(GuidInfo.LAYOUT, TABLE).build(72);

    private GuidInfoRecord() {}
}
