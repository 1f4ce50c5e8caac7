// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute NodeDescription of subnet management (IBA 14.2.5.2). */
public final class NodeDescription {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("NodeDescription");
    /** Text that describes the node, UTF-8. */
    public static final MadField NODE_DESCRIPTION = FIELDS.component(14).text("nodeDescription", 0, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private NodeDescription() {}
}
