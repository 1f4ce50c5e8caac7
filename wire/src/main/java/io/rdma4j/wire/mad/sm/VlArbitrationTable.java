// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute VLArbitrationTable of subnet management (IBA 14.2.5.9): a block of 32 entries. */
public final class VlArbitrationTable {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("VLArbitrationTable");
    /** Virtual lanes. */
    public static final MadArray LANES = FIELDS.settable().decimalArray("vl", 0, 4, 4, 16, 32);
    /** Units of 64 bytes that the lane of the same entry may send; 0 skips the entry. */
    public static final MadArray WEIGHTS = FIELDS.settable().decimalArray("weight", 1, 0, 8, 16, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private VlArbitrationTable() {}
}
