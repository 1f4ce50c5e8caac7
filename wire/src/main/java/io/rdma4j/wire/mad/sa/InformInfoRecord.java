// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A subscription for notices (IBA 15.2.5.12): subscriber and {@link InformInfo}. */
public final class InformInfoRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("InformInfoRecord");
    /** Port of the subscriber. */
    public static final MadField SUBSCRIBER_GID = FIELDS.component(0).gid("subscriberGid", 0);
    /** Number among the subscriptions of the port. */
    public static final MadField ENUM = FIELDS.decimal("number", 16, 16);
    /** Offset of {@link InformInfo}. */
    public static final int INFORM_INFO = 24;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(InformInfo.LAYOUT, INFORM_INFO).build(INFORM_INFO + InformInfo.LAYOUT.bytes());

    private InformInfoRecord() {}
}
