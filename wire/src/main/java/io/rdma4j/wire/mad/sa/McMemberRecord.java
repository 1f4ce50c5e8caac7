// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A multicast group and the membership of a port in it (IBA 15.2.5.17). */
public final class McMemberRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MCMemberRecord");
    /** GID of the group. */
    public static final MadField MGID = FIELDS.component(0).gid("mgid", 0);
    /** GID of the member. */
    public static final MadField PORT_GID = FIELDS.gid("portGid", 16);
    /** Q_Key of the group. */
    public static final MadField QKEY = FIELDS.hex("qkey", 32, 32);
    /** Multicast LID. */
    public static final MadField MLID = FIELDS.hex("mlid", 36, 16);
    /** 0 greater than, 1 less than, 2 exactly, 3 largest. */
    public static final MadField MTU_SELECTOR = FIELDS.decimal("mtuSelector", 38, 0, 2);
    /** MTU, 1 for 256 bytes to 5 for 4096. */
    public static final MadField MTU = FIELDS.decimal("mtu", 38, 2, 6);
    /** Traffic class. */
    public static final MadField TRAFFIC_CLASS = FIELDS.hex("trafficClass", 39, 8);
    /** P_Key. */
    public static final MadField PKEY = FIELDS.hex("pkey", 40, 16);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField RATE_SELECTOR = FIELDS.decimal("rateSelector", 42, 0, 2);
    /** Rate. */
    public static final MadField RATE = FIELDS.decimal("rate", 42, 2, 6);
    /** As {@link #MTU_SELECTOR}. */
    public static final MadField LIFE_SELECTOR = FIELDS.decimal("lifeSelector", 43, 0, 2);
    /** Maximum time of a packet, exponent of 4.096 µs. */
    public static final MadField PACKET_LIFE_TIME = FIELDS.decimal("packetLifeTime", 43, 2, 6);
    /** Service level. */
    public static final MadField SL = FIELDS.decimal("sl", 44, 0, 4);
    /** Flow label. */
    public static final MadField FLOW_LABEL = FIELDS.hex("flowLabel", 44, 4, 20);
    /** Hop limit. */
    public static final MadField HOP_LIMIT = FIELDS.decimal("hopLimit", 47, 8);
    /** Scope of the group. */
    public static final MadField SCOPE = FIELDS.decimal("scope", 48, 0, 4);
    /** 1 full member, 2 non-member, 4 send-only non-member, 8 send-only full member. */
    public static final MadField JOIN_STATE = FIELDS.hex("joinState", 48, 4, 4);
    /** 1 if another port has joined for the member. */
    public static final MadField PROXY_JOIN = FIELDS.decimal("proxyJoin", 49, 0, 1);
    /** The record. */
    public static final MadLayout LAYOUT = FIELDS.build(52);

    private McMemberRecord() {}
}
