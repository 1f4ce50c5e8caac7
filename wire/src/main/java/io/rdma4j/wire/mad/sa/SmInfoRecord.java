// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.SmInfo;

/** A subnet manager of the subnet (IBA 15.2.5.10): LID and {@link SmInfo}. */
public final class SmInfoRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("SMInfoRecord");
    /** LID of the subnet manager. */
    public static final MadField LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Offset of {@link SmInfo}. */
    public static final int SM_INFO = 4;
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.embed(SmInfo.LAYOUT, SM_INFO).build(32);

    private SmInfoRecord() {}
}
