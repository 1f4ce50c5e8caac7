// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import org.jspecify.annotations.Nullable;

/** The management classes (IBA 13.4.4): code, version, and where the data begins after the headers of the class. */
public enum MadClass {
    /** Subnet management, LID-routed; on queue pair 0. */
    SUBN_LID_ROUTED(0x01, 1, 64, false, "SubnLIDRouted"),
    /** Subnet management along a directed route; on queue pair 0. */
    SUBN_DIRECTED_ROUTE(0x81, 1, 64, false, "SubnDirectedRoute"),
    /** Subnet administration. */
    SUBN_ADM(0x03, 2, 56, true, "SubnAdm"),
    /** Performance management. */
    PERF_MGT(0x04, 1, 64, false, "PerfMgt"),
    /** Baseboard management. */
    BM(0x05, 1, 64, false, "BM"),
    /** Device management. */
    DEV_MGT(0x06, 1, 64, true, "DevMgt"),
    /** Communication management. */
    COM_MGT(0x07, 2, 24, false, "ComMgt"),
    /** SNMP tunnelling. */
    SNMP(0x08, 1, 24, false, "SNMP"),
    /** Device administration. */
    DEV_ADM(0x10, 1, 64, true, "DevAdm"),
    /** Boot management. */
    BOOT_MGT(0x11, 1, 24, false, "BootMgt"),
    /** Boot information service. */
    BIS(0x12, 1, 64, true, "BIS"),
    /** Congestion management. */
    CONG_MGT(0x21, 1, 24, false, "CongMgt");

    /** First class of the vendor range without OUI. */
    public static final int VENDOR_RANGE_1 = 0x09;
    /** First class of the vendor range with OUI, which may use RMPP. */
    public static final int VENDOR_RANGE_2 = 0x30;
    /** Last class of the vendor range without OUI. */
    public static final int VENDOR_RANGE_1_END = 0x0F;
    /** Last class of the vendor range with OUI. */
    public static final int VENDOR_RANGE_2_END = 0x4F;

    private final int code;
    private final int version;
    private final int dataOffset;
    private final boolean rmpp;
    private final String label;

    MadClass(int code, int version, int dataOffset, boolean rmpp, String label) {
        this.code = code;
        this.version = version;
        this.dataOffset = dataOffset;
        this.rmpp = rmpp;
        this.label = label;
    }

    /** {@return 8 bits} */
    public int code() {
        return code;
    }

    /** {@return the class version that this project speaks} */
    public int version() {
        return version;
    }

    /** {@return offset of the attribute in the datagram} */
    public int dataOffset() {
        return dataOffset;
    }

    /** {@return true if the common header is followed by an {@link Rmpp} header} */
    public boolean hasRmpp() {
        return rmpp;
    }

    /** {@return true for the classes of subnet management, on queue pair 0} */
    public boolean isManagement() {
        return this == SUBN_LID_ROUTED || this == SUBN_DIRECTED_ROUTE;
    }

    /** {@return the name in the specification} */
    public String label() {
        return label;
    }

    /**
     * {@return the class with this code, or null}
     *
     * @param code 8 bits
     */
    public static @Nullable MadClass of(int code) {
        for (MadClass mgmtClass : values()) {
            if (mgmtClass.code == code) {
                return mgmtClass;
            }
        }
        return null;
    }

    /**
     * {@return true for a class of the vendor range with OUI}
     *
     * @param code 8 bits
     */
    public static boolean hasOui(int code) {
        return code >= VENDOR_RANGE_2 && code <= VENDOR_RANGE_2_END;
    }

    /**
     * {@return true for a class of a vendor range}
     *
     * @param code 8 bits
     */
    public static boolean isVendor(int code) {
        return code >= VENDOR_RANGE_1 && code <= VENDOR_RANGE_1_END || hasOui(code);
    }
}
