// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute P_KeyTable of subnet management (IBA 14.2.5.7): a block of 32 entries of a port's table. */
public final class PkeyTableBlock {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("P_KeyTable");
    /** Partition keys; 0 for none. */
    public static final MadArray PKEYS = FIELDS.settable().hexArray("pkeys", 0, 16, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private PkeyTableBlock() {}
}
