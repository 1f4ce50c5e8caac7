// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A path between two ports (IBA 15.2.5.16). */
public final class PathRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PathRecord");
    /** Service that the path is for. Its upper byte also has component 0. */
    public static final MadField SERVICE_ID = FIELDS.component(1).hex("serviceId", 0, 64);
    /** Destination GID. */
    public static final MadField DGID = FIELDS.gid("dgid", 8);
    /** Source GID. */
    public static final MadField SGID = FIELDS.gid("sgid", 24);
    /** Destination LID. */
    public static final MadField DLID = FIELDS.hex("dlid", 40, 16);
    /** Source LID. */
    public static final MadField SLID = FIELDS.hex("slid", 42, 16);
    /** 1 for raw packets. */
    public static final MadField RAW_TRAFFIC = FIELDS.decimal("rawTraffic", 44, 0, 1);
    /** Flow label. */
    public static final MadField FLOW_LABEL = FIELDS.component(8).hex("flowLabel", 44, 4, 20);
    /** Hop limit. */
    public static final MadField HOP_LIMIT = FIELDS.decimal("hopLimit", 47, 8);
    /** Traffic class. */
    public static final MadField TRAFFIC_CLASS = FIELDS.hex("trafficClass", 48, 8);
    /** 1 if the path works in both directions. */
    public static final MadField REVERSIBLE = FIELDS.decimal("reversible", 49, 0, 1);
    /** Maximum number of paths in the response. */
    public static final MadField NUMB_PATH = FIELDS.decimal("numbPath", 49, 1, 7);
    /** P_Key. */
    public static final MadField PKEY = FIELDS.hex("pkey", 50, 16);
    /** Quality of service class. */
    public static final MadField QOS_CLASS = FIELDS.decimal("qosClass", 52, 0, 12);
    /** Service level. */
    public static final MadField SL = FIELDS.decimal("sl", 53, 4, 4);
    /** 0 greater than, 1 less than, 2 exactly, 3 largest. */
    public static final MadField MTU_SELECTOR = FIELDS.decimal("mtuSelector", 54, 0, 2);
    /** Path MTU, 1 for 256 bytes to 5 for 4096. */
    public static final MadField MTU = FIELDS.decimal("mtu", 54, 2, 6);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField RATE_SELECTOR = FIELDS.decimal("rateSelector", 55, 0, 2);
    /** Rate of the path. */
    public static final MadField RATE = FIELDS.decimal("rate", 55, 2, 6);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField LIFE_SELECTOR = FIELDS.decimal("lifeSelector", 56, 0, 2);
    /** Maximum time of a packet on the path, exponent of 4.096 µs. */
    public static final MadField PACKET_LIFE_TIME = FIELDS.decimal("packetLifeTime", 56, 2, 6);
    /** Rank among the paths of a response; 0 is best. */
    public static final MadField PREFERENCE = FIELDS.decimal("preference", 57, 8);
    /** The record. */
    public static final MadLayout LAYOUT = FIELDS.build(64);

    private PathRecord() {}
}
