// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute SMInfo of subnet management (IBA 14.2.5.13): a subnet manager and its state. */
public final class SmInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SMInfo");
    /** GUID of the port of the subnet manager. */
    public static final MadField GUID = FIELDS.component(2).hex("guid", 0, 64);
    /** Key by which subnet managers recognise each other. */
    public static final MadField SM_KEY = FIELDS.hex("smKey", 8, 64);
    /** Grows while the subnet manager is alive. */
    public static final MadField ACT_COUNT = FIELDS.decimal("actCount", 16, 32);
    /** The highest one becomes master; with equal ones that with the smallest GUID. */
    public static final MadField PRIORITY = FIELDS.decimal("priority", 20, 0, 4);
    /** 0 not active, 1 discovering, 2 standby, 3 master. */
    public static final MadField STATE = FIELDS.decimal("smState", 20, 4, 4);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(21);

    private SmInfo() {}
}
