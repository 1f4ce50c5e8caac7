// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

/** Service ID resolution request, for datagrams (IBA 12.11.1). */
public final class CmSidrReq {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SIDR_REQ");
    /** Chosen by the sender; the reply repeats it. */
    public static final MadField REQUEST_ID = FIELDS.hex("requestId", 0, 32);
    /** P_Key of the communication. */
    public static final MadField PARTITION_KEY = FIELDS.hex("pkey", 4, 16);
    /** The service that the receiver listens for. */
    public static final MadField SERVICE_ID = FIELDS.hex("serviceId", 8, 64);
    /** Data of the program; 36 bytes of {@link RdmaCmHeader} come first if it uses rdma_cm. */
    public static final MadField PRIVATE_DATA = FIELDS.bytes("privateData", 16, 216);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Mad.DATA_BYTES);

    private CmSidrReq() {}
}
