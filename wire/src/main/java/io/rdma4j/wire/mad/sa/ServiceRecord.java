// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A service that a port offers (IBA 15.2.5.14). */
public final class ServiceRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("ServiceRecord");
    /** ID of the service. */
    public static final MadField SERVICE_ID = FIELDS.component(0).hex("serviceId", 0, 64);
    /** Port of the service. */
    public static final MadField SERVICE_GID = FIELDS.gid("serviceGid", 8);
    /** P_Key of the service. */
    public static final MadField SERVICE_PKEY = FIELDS.hex("servicePkey", 24, 16);
    /** Seconds that the record is valid; 0xFFFFFFFF for ever. */
    public static final MadField SERVICE_LEASE = FIELDS.component(4).decimal("lease", 28, 32);
    /** Key that permits changes of the record. */
    public static final MadField SERVICE_KEY = FIELDS.bytes("serviceKey", 32, 16);
    /** Name of the service. */
    public static final MadField SERVICE_NAME = FIELDS.text("serviceName", 48, 64);
    /** Data of the service. */
    public static final MadArray SERVICE_DATA_8 = FIELDS.component(7).hexArray("serviceData8", 112, 8, 16);
    /** Data of the service. */
    public static final MadArray SERVICE_DATA_16 = FIELDS.hexArray("serviceData16", 128, 16, 8);
    /** Data of the service. */
    public static final MadArray SERVICE_DATA_32 = FIELDS.hexArray("serviceData32", 144, 32, 4);
    /** Data of the service. */
    public static final MadArray SERVICE_DATA_64 = FIELDS.hexArray("serviceData64", 160, 64, 2);
    /** The record. */
    public static final MadLayout LAYOUT = FIELDS.build(176);

    private ServiceRecord() {}
}
