// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import io.rdma4j.wire.mad.sm.Smp;

/** A port of the subnet (IBA 15.2.5.3): LID, number and {@link PortInfoAttribute}. */
public final class PortInfoRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("PortInfoRecord");
    /** LID of the port, or of port 0 of its switch. */
    public static final MadField END_PORT_LID = FIELDS.component(0).hex("lid", 0, 16);
    /** Number of the port. */
    public static final MadField PORT_NUM = FIELDS.decimal("portNum", 2, 8);
    /** Bits 7 and 6: match capability mask 1 and 2 by the bits that are set in the request. */
    public static final MadField OPTIONS = FIELDS.hex("options", 3, 8);
    /** Offset of {@link PortInfoAttribute}. */
    public static final int PORT_INFO = 4;
    /** The structure. */
    public static final MadLayout LAYOUT =
            FIELDS.embed(PortInfoAttribute.LAYOUT, PORT_INFO).build(PORT_INFO + Smp.DATA_BYTES);

    private PortInfoRecord() {}
}
