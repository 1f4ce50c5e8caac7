// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A request for paths among two sets of ports (IBA 15.2.5.20). The GIDs follow, sources first. */
public final class MultiPathRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MultiPathRecord");
    /** 1 for raw packets. */
    public static final MadField RAW_TRAFFIC = FIELDS.component(0).decimal("rawTraffic", 0, 0, 1);
    /** Flow label. */
    public static final MadField FLOW_LABEL = FIELDS.component(2).hex("flowLabel", 0, 4, 20);
    /** Hop limit. */
    public static final MadField HOP_LIMIT = FIELDS.decimal("hopLimit", 3, 8);
    /** Traffic class. */
    public static final MadField TRAFFIC_CLASS = FIELDS.hex("trafficClass", 4, 8);
    /** 1 if the paths must work in both directions. */
    public static final MadField REVERSIBLE = FIELDS.decimal("reversible", 5, 0, 1);
    /** Maximum number of paths. */
    public static final MadField NUMB_PATH = FIELDS.decimal("numbPath", 5, 1, 7);
    /** P_Key. */
    public static final MadField PKEY = FIELDS.hex("pkey", 6, 16);
    /** Quality of service class. */
    public static final MadField QOS_CLASS = FIELDS.decimal("qosClass", 8, 0, 12);
    /** Service level. */
    public static final MadField SL = FIELDS.decimal("sl", 9, 4, 4);
    /** 0 greater than, 1 less than, 2 exactly, 3 largest. */
    public static final MadField MTU_SELECTOR = FIELDS.decimal("mtuSelector", 10, 0, 2);
    /** Path MTU, 1 for 256 bytes to 5 for 4096. */
    public static final MadField MTU = FIELDS.decimal("mtu", 10, 2, 6);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField RATE_SELECTOR = FIELDS.decimal("rateSelector", 11, 0, 2);
    /** Rate of the path. */
    public static final MadField RATE = FIELDS.decimal("rate", 11, 2, 6);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField LIFE_SELECTOR = FIELDS.decimal("lifeSelector", 12, 0, 2);
    /** Maximum time of a packet on the path, exponent of 4.096 µs. */
    public static final MadField PACKET_LIFE_TIME = FIELDS.decimal("packetLifeTime", 12, 2, 6);
    /** Highest 8 bits of the service that the paths are for. */
    public static final MadField SERVICE_ID_8_MSB = FIELDS.hex("serviceIdHigh", 13, 8);
    /** 2 if the paths must have no component in common. */
    public static final MadField INDEPENDENCE_SELECTOR = FIELDS.decimal("independenceSelector", 14, 0, 2);
    /** Number of source GIDs. */
    public static final MadField SGID_COUNT = FIELDS.component(19).decimal("sgidCount", 15, 8);
    /** Number of destination GIDs. */
    public static final MadField DGID_COUNT = FIELDS.decimal("dgidCount", 16, 8);
    /** Lowest 56 bits of the service. */
    public static final MadField SERVICE_ID_56_LSB = FIELDS.hex("serviceIdLow", 17, 56);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(24);

    private MultiPathRecord() {}
}
