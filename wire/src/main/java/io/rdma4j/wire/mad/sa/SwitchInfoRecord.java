// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.SwitchInfo;

/** A switch of the subnet (IBA 15.2.5.5): LID and {@link SwitchInfo}. */
public final class SwitchInfoRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SwitchInfoRecord");
    /** LID of the switch. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Offset of {@link SwitchInfo}. */
    public static final int SWITCH_INFO = 4;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(SwitchInfo.LAYOUT, SWITCH_INFO).build(24);

    private SwitchInfoRecord() {}
}
