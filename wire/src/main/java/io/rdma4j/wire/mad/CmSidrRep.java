// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Service ID resolution reply (IBA 12.11.2). */
public final class CmSidrRep {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SIDR_REP");
    /** The ID of the request. */
    public static final MadField REQUEST_ID = FIELDS.hex("requestId", 0, 32);
    /** {@link SidrStatus}; other fields are valid only if it is 0. */
    public static final MadField STATUS = FIELDS.decimal("status", 4, 8);
    /** Bytes of {@link #INFO} that are valid. */
    public static final MadField INFO_LENGTH = FIELDS.decimal("infoLength", 5, 8);
    /** Bits 8 to 23 of the vendor of the enhanced connection establishment. */
    public static final MadField VENDOR_ID_HIGH = FIELDS.hex("vendorIdHigh", 6, 16);
    /** Queue pair of the service. */
    public static final MadField QPN = FIELDS.hex("qpn", 8, 24);
    /** Bits 0 to 7 of the vendor. */
    public static final MadField VENDOR_ID_LOW = FIELDS.hex("vendorIdLow", 11, 8);
    /** The service of the request. */
    public static final MadField SERVICE_ID = FIELDS.hex("serviceId", 12, 64);
    /** Q_Key of the queue pair. */
    public static final MadField QKEY = FIELDS.hex("qkey", 20, 32);
    /** Additional information about a failure. */
    public static final MadField INFO = FIELDS.bytes("info", 24, 72);
    /** Data of the program. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 96, 136);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmSidrRep() {}
}
