// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute VendorDiag of subnet management (IBA 14.2.5.14): diagnosis of the vendor. */
public final class VendorDiag {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("VendorDiag");
    /** Attribute modifier of the next part; 0 after the last one. */
    public static final MadField NEXT_INDEX = FIELDS.decimal("nextIndex", 0, 16);
    /** In a format of the vendor. */
    public static final MadField DIAG_DATA = FIELDS.bytes("diagData", 2, 62);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private VendorDiag() {}
}
