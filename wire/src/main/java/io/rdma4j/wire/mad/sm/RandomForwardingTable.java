// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute RandomForwardingTable of subnet management (IBA 14.2.5.11): a block of 16 entries. */
public final class RandomForwardingTable {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("RandomForwardingTable");
    /** First LID of an entry. */
    public static final MadArray LIDS = FIELDS.settable().decimalArray("lids", 0, 0, 16, 32, 16);
    /** 1 if the entry is in use. */
    public static final MadArray VALID = FIELDS.settable().decimalArray("valid", 2, 0, 1, 32, 16);
    /** Number of low bits of the LID that the entry ignores. */
    public static final MadArray LMC = FIELDS.settable().decimalArray("lmc", 2, 1, 3, 32, 16);
    /** Output port. */
    public static final MadArray PORTS = FIELDS.settable().decimalArray("ports", 3, 0, 8, 32, 16);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private RandomForwardingTable() {}
}
