// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.diag;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** How {@code libibmad} writes the value of a field. */
enum FieldFormat {
    DECIMAL {
        @Override
        String text(long value, int bits) {
            return Long.toUnsignedString(value);
        }
    },
    HEX {
        @Override
        String text(long value, int bits) {
            int digits = (bits + Byte.SIZE - 1) / Byte.SIZE * 2;
            return ("0x%0" + digits + "x").formatted(value);
        }
    },
    NODE_TYPE {
        @Override
        String text(long value, int bits) {
            return of(value, "", "Channel Adapter", "Switch", "Router");
        }
    },
    WIDTH {
        @Override
        String text(long value, int bits) {
            return one(value, WIDTHS);
        }
    },
    WIDTH_SET {
        @Override
        String text(long value, int bits) {
            return set(value, WIDTHS);
        }
    },
    /** As a set; one without all smaller widths is an extension of the specification. */
    SUPPORTED_WIDTHS {
        @Override
        String text(long value, int bits) {
            boolean isKnown = value >> WIDTHS.size() != 0 || STANDARD_WIDTHS.contains((int) value);
            return set(value, WIDTHS) + (isKnown ? "" : " (IBA extension)");
        }
    },
    SPEED {
        @Override
        String text(long value, int bits) {
            return value == 0 ? "Extended speed" : one(value, SPEEDS);
        }
    },
    SPEED_SET {
        @Override
        String text(long value, int bits) {
            boolean isKnown = value >> SPEEDS.size() != 0 || (value & 1) != 0;
            return set(value, SPEEDS) + (isKnown ? "" : " (IBA extension)");
        }
    },
    EXTENDED_SPEED {
        @Override
        String text(long value, int bits) {
            return value == 0 ? "No Extended Speed" : one(value, EXTENDED_SPEEDS);
        }
    },
    EXTENDED_SPEED_SET {
        @Override
        String text(long value, int bits) {
            if (value == EXTENDED_DISABLED) {
                return "Extended link speeds disabled";
            }
            return value == 0 ? "0" : set(value, EXTENDED_SPEEDS);
        }
    },
    PORT_STATE {
        @Override
        String text(long value, int bits) {
            return of(value, "NoChange", "Down", "Initialize", "Armed", "Active");
        }
    },
    PHYSICAL_STATE {
        @Override
        String text(long value, int bits) {
            return of(
                    value,
                    "NoChange",
                    "Sleep",
                    "Polling",
                    "Disabled",
                    "PortConfigurationTraining",
                    "LinkUp",
                    "LinkErrorRecovery",
                    "PhyTest");
        }
    },
    DOWN_DEFAULT_STATE {
        @Override
        String text(long value, int bits) {
            return of(value, "NoChange", "Sleep", "Polling");
        }
    },
    MTU {
        @Override
        String text(long value, int bits) {
            return of(value, "", "256", "512", "1024", "2048", "4096");
        }
    },
    VL_CAP {
        @Override
        String text(long value, int bits) {
            return of(value, "", "VL0", "VL0-1", "VL0-3", "VL0-7", "VL0-14");
        }
    },
    OPERATIONAL_VLS {
        @Override
        String text(long value, int bits) {
            return value == 0 ? "No change" : VL_CAP.text(value, bits);
        }
    },
    CAPABILITIES {
        @Override
        String text(long value, int bits) {
            return mask(
                    value,
                    List.of(("- IsSM IsNoticeSupported IsTrapSupported IsOptionalIPDSupported"
                                    + " IsAutomaticMigrationSupported IsSLMappingSupported IsMKeyNVRAM IsPKeyNVRAM"
                                    + " IsLedInfoSupported IsSMdisabled IsSystemImageGUIDsupported"
                                    + " IsPkeySwitchExternalPortTrapSupported - IsExtendedSpeedsSupported"
                                    + " IsCapabilityMask2Supported IsCommunicatonManagementSupported"
                                    + " IsSNMPTunnelingSupported IsReinitSupported IsDeviceManagementSupported"
                                    + " IsVendorClassSupported IsDRNoticeSupported IsCapabilityMaskNoticeSupported"
                                    + " IsBootManagementSupported IsLinkRoundTripLatencySupported"
                                    + " IsClientRegistrationSupported IsOtherLocalChangesNoticeSupported"
                                    + " IsLinkSpeedWidthPairsTableSupported IsVendorSpecificMadsTableSupported"
                                    + " IsMcastPkeyTrapSuppressionSupported IsMulticastFDBTopSupported"
                                    + " IsHierarchyInfoSupported")
                            .split(" ", -1)));
        }
    },
    CAPABILITIES_2 {
        @Override
        String text(long value, int bits) {
            return mask(
                    value,
                    List.of(("IsSetNodeDescriptionSupported IsPortInfoExtendedSupported"
                                    + " IsVirtualizationSupported IsSwitchPortStateTableSupported"
                                    + " IsLinkWidth2xSupported"
                                    + " IsLinkSpeedHDRSupported IsMKeyProtectBitsExtSupported"
                                    + " IsEnhancedTrap128Supported"
                                    + " IsPartitionTopSupported - IsLinkSpeedNDRSupported")
                            .split(" ", -1)));
        }
    };

    private static final int EXTENDED_DISABLED = 30;
    private static final List<String> WIDTHS = List.of("1X", "4X", "8X", "12X", "2X");
    private static final Set<Integer> STANDARD_WIDTHS = Set.of(1, 3, 7, 11, 15, 17, 19, 23, 27, 31);
    private static final List<String> SPEEDS = List.of("2.5 Gbps", "5.0 Gbps", "10.0 Gbps");
    private static final List<String> EXTENDED_SPEEDS =
            List.of("14.0625 Gbps", "25.78125 Gbps", "53.125 Gbps", "106.25 Gbps");

    abstract String text(long value, int bits);

    private static String of(long value, String... names) {
        return value < names.length && !names[(int) value].isEmpty() ? names[(int) value] : "?(" + value + ")";
    }

    private static String one(long value, List<String> names) {
        int bit = Long.numberOfTrailingZeros(value);
        return Long.bitCount(value) == 1 && bit < names.size() ? names.get(bit) : "undefined (" + value + ")";
    }

    private static String set(long value, List<String> names) {
        if (value == 0 || value >> names.size() != 0) {
            return "undefined (" + value + ")";
        }
        List<String> present = new ArrayList<>();
        for (int bit = 0; bit < names.size(); bit++) {
            if ((value >> bit & 1) != 0) {
                present.add(names.get(bit));
            }
        }
        return String.join(" or ", present);
    }

    private static String mask(long value, List<String> names) {
        StringBuilder text = new StringBuilder("0x" + Long.toHexString(value));
        for (int bit = 0; bit < names.size(); bit++) {
            if ((value >> bit & 1) != 0 && !names.get(bit).equals("-")) {
                text.append("\n\t\t\t\t").append(names.get(bit));
            }
        }
        return text.toString();
    }
}
