// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute PortInfoExtended of subnet management: forward error correction of a link (IBA 14.2.5.19). */
public final class PortInfoExtended {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortInfoExtended");
    /** 1 if the FEC fields are valid. */
    public static final MadField CAP_MASK = FIELDS.hex("extendedCapMask", 0, 32);
    /** 0 none, 1 Fire code, 2 Reed-Solomon. */
    public static final MadField FEC_MODE_ACTIVE = FIELDS.decimal("fecModeActive", 4, 16);
    /** Modes at FDR, bit n for mode n. */
    public static final MadField FDR_FEC_MODE_SUPPORTED = FIELDS.hex("fdrFecModeSupported", 6, 16);
    /** Modes at FDR in use. */
    public static final MadField FDR_FEC_MODE_ENABLED = FIELDS.settable().hex("fdrFecModeEnabled", 8, 16);
    /** Modes at EDR, bit n for mode n. */
    public static final MadField EDR_FEC_MODE_SUPPORTED = FIELDS.hex("edrFecModeSupported", 10, 16);
    /** Modes at EDR in use. */
    public static final MadField EDR_FEC_MODE_ENABLED = FIELDS.settable().hex("edrFecModeEnabled", 12, 16);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private PortInfoExtended() {}
}
