// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute LedInfo of subnet management (IBA 14.2.5.15). */
public final class LedInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("LedInfo");
    /** 1 if the LED of the port is on. */
    public static final MadField LED_MASK = FIELDS.settable().decimal("ledMask", 0, 0, 1);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(4);

    private LedInfo() {}
}
