// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A subscription for notices (IBA 13.4.8.3). */
public final class InformInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("InformInfo");
    /** Port whose notices are subscribed; 0 for all ports of the range. */
    public static final MadField GID = FIELDS.component(3).gid("gid", 0);
    /** First LID; 0xFFFF for all. */
    public static final MadField LID_RANGE_BEGIN = FIELDS.hex("lidBegin", 16, 16);
    /** Last LID. */
    public static final MadField LID_RANGE_END = FIELDS.hex("lidEnd", 18, 16);
    /** 1 for notices that the specification defines. */
    public static final MadField IS_GENERIC = FIELDS.component(7).decimal("isGeneric", 22, 8);
    /** 1 subscribes, 0 ends the subscription. */
    public static final MadField SUBSCRIBE = FIELDS.decimal("subscribe", 23, 8);
    /** Type of the notices; 0xFFFF for all. */
    public static final MadField TYPE = FIELDS.hex("type", 24, 16);
    /** Trap number; 0xFFFF for all. */
    public static final MadField TRAP_NUMBER = FIELDS.hex("trapNumber", 26, 16);
    /** Queue pair of the subscriber. */
    public static final MadField QPN = FIELDS.hex("qpn", 28, 24);
    /** Time within which the subscriber answers, exponent of 4.096 µs. */
    public static final MadField RESP_TIME_VALUE = FIELDS.component(13).decimal("respTime", 31, 3, 5);
    /** Producer of the notices; 0xFFFFFF for all. */
    public static final MadField PRODUCER_TYPE = FIELDS.component(15).hex("producer", 33, 24);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(36);

    private InformInfo() {}
}
