// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.pm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute PortExtendedSpeedsCounters of performance management: errors of links from FDR on (IBA 16.1.4.13). */
public final class PortExtendedSpeedsCounters {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortExtendedSpeedsCounters");
    /** Number of the port; 0xFF for all ports. */
    public static final MadField PORT_SELECT = FIELDS.decimal("portSelect", 1, 8);
    /** Counters that a Set clears. */
    public static final MadField COUNTER_SELECT = FIELDS.hex("counterSelect", 8, 64);
    /** Blocks with a bad header. */
    public static final MadField SYNC_HEADER_ERRORS = FIELDS.decimal("syncHeaderErrors", 16, 16);
    /** Blocks of an unknown type. */
    public static final MadField UNKNOWN_BLOCKS = FIELDS.decimal("unknownBlocks", 18, 16);
    /** Errors that the code of a lane detected. */
    public static final MadArray ERROR_DETECTION = FIELDS.decimalArray("errorDetection", 20, 16, 12);
    /** Blocks of a lane that were corrected. */
    public static final MadArray FEC_CORRECTABLE = FIELDS.decimalArray("fecCorrectable", 44, 32, 12);
    /** Blocks of a lane that were lost. */
    public static final MadArray FEC_UNCORRECTABLE = FIELDS.decimalArray("fecUncorrectable", 92, 32, 12);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(140);

    private PortExtendedSpeedsCounters() {}
}
