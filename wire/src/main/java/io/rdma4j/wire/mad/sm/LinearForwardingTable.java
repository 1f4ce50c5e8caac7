// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute LinearForwardingTable of subnet management (IBA 14.2.5.10): the ports of a block of 64 LIDs. */
public final class LinearForwardingTable {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("LinearForwardingTable");
    /** Output port of each LID; 255 for none. */
    public static final MadArray PORTS = FIELDS.settable().decimalArray("ports", 0, 8, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private LinearForwardingTable() {}
}
