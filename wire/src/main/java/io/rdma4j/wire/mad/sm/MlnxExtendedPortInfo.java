// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute 0xFF90 of a vendor: FDR10, a speed that PortInfo does not have. */
public final class MlnxExtendedPortInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MlnxExtendedPortInfo");
    /** Which changes the port makes by itself. */
    public static final MadField STATE_CHANGE_ENABLE = FIELDS.settable().hex("stateChangeEnable", 3, 8);
    /** Bit 0 for FDR10. */
    public static final MadField LINK_SPEED_SUPPORTED = FIELDS.hex("mlnxSpeedSupported", 7, 8);
    /** Bit 0 for FDR10. */
    public static final MadField LINK_SPEED_ENABLED = FIELDS.settable().hex("mlnxSpeedEnabled", 11, 8);
    /** Bit 0 for FDR10. */
    public static final MadField LINK_SPEED_ACTIVE = FIELDS.hex("mlnxSpeedActive", 15, 8);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private MlnxExtendedPortInfo() {}
}
