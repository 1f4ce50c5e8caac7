// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.NodeDescription;
import io.rdma4j.wire.mad.sm.NodeInfo;

/** A node of the subnet (IBA 15.2.5.2): LID, {@link NodeInfo} and {@link NodeDescription}. */
public final class NodeRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("NodeRecord");
    /** LID of the port that answered. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Offset of {@link NodeInfo}. */
    public static final int NODE_INFO = 4;
    /** Text that describes the node. */
    public static final MadField NODE_DESCRIPTION =
            FIELDS.embed(NodeInfo.LAYOUT, NODE_INFO).component(14).text("nodeDescription", 44, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(108);

    private NodeRecord() {}
}
