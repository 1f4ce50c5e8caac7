// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute SLtoVLMappingTable of subnet management (IBA 14.2.5.8). */
public final class SlToVlTable {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SLtoVLMappingTable");
    /** Virtual lane of each service level; 15 drops the packets. */
    public static final MadArray LANES = FIELDS.settable().decimalArray("slToVl", 0, 4, 16);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(8);

    private SlToVlTable() {}
}
