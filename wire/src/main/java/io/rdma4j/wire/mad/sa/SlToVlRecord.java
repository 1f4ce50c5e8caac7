// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.SlToVlTable;

/** Virtual lanes of the service levels on the way between two ports of a node (IBA 15.2.5.4). */
public final class SlToVlRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SLtoVLMappingTableRecord");
    /** LID of the node. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Port at which packets arrive; 0 on a channel adapter. */
    public static final MadField IN_PORT = FIELDS.decimal("inPort", 2, 8);
    /** Port by which packets leave. */
    public static final MadField OUT_PORT = FIELDS.decimal("outPort", 3, 8);
    /** Offset of {@link SlToVlTable}. */
    public static final int TABLE = 8;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(SlToVlTable.LAYOUT, TABLE).build(16);

    private SlToVlRecord() {}
}
