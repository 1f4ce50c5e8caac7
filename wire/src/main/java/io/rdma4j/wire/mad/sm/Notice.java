// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** An event that an agent reports by a Trap, or the subnet administrator by a Report (IBA 13.4.8.2). */
public final class Notice {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("Notice");
    /** 1 if the specification defines the trap number. */
    public static final MadField IS_GENERIC = FIELDS.decimal("isGeneric", 0, 0, 1);
    /** 0 fatal, 1 urgent, 2 security, 3 subnet management, 4 information. */
    public static final MadField TYPE = FIELDS.decimal("type", 0, 1, 7);
    /** 1 channel adapter, 2 switch, 3 router, 4 class manager; or a vendor. */
    public static final MadField PRODUCER_TYPE = FIELDS.decimal("producer", 1, 24);
    /** The event, or a device ID. */
    public static final MadField TRAP_NUMBER = FIELDS.decimal("trapNumber", 4, 16);
    /** LID of the port that reports. */
    public static final MadField ISSUER_LID = FIELDS.hex("issuerLid", 6, 16);
    /** Changes with each notice of a queue. */
    public static final MadField TOGGLE = FIELDS.decimal("toggle", 8, 0, 1);
    /** Notices in the queue. */
    public static final MadField COUNT = FIELDS.decimal("count", 8, 1, 15);
    /** Depends on the trap number: {@link TrapDetails}. */
    public static final MadField DATA_DETAILS = FIELDS.bytes("dataDetails", 10, 54);
    /** The structure in a datagram of subnet management. */
    public static final MadLayout SM_LAYOUT = FIELDS.build(Smp.DATA_BYTES);
    /** GID of the port that reports. */
    public static final MadField ISSUER_GID = FIELDS.gid("issuerGid", 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(80);

    private Notice() {}
}
