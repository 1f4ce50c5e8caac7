// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;
import io.rdma4j.wire.mad.Rmpp;

/** The header of subnet administration, after the {@link Rmpp} header (IBA 15.2.1.1). */
public final class SaHeader {
    /** Offset of the header in a datagram. */
    public static final int OFFSET = Rmpp.PAYLOAD_OFFSET;
    /** Offset of the first record in a datagram. */
    public static final int DATA = 56;

    private static final MadLayout.Builder FIELDS = MadLayout.builder("SA");
    /** Key of a trusted requester. */
    public static final MadField SM_KEY = FIELDS.hex("smKey", 0, 64);
    /** Distance of two records of a table, in units of 8 bytes. */
    public static final MadField ATTRIBUTE_OFFSET = FIELDS.decimal("attributeOffset", 8, 16);
    /** The fields of the record that a query compares; see {@link MadField#componentMask}. */
    public static final MadField COMPONENT_MASK = FIELDS.hex("componentMask", 12, 64);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(20);

    private SaHeader() {}
}
