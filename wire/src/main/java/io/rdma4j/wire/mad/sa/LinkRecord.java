// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sa;

import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadLayout;

/** A link in one direction (IBA 15.2.5.13); the LIDs of switches are those of port 0. */
public final class LinkRecord {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("LinkRecord");
    /** LID of one end. */
    public static final MadField FROM_LID = FIELDS.component(0).hex("fromLid", 0, 16);
    /** Its port. */
    public static final MadField FROM_PORT = FIELDS.decimal("fromPort", 2, 8);
    /** Port of the other end. */
    public static final MadField TO_PORT = FIELDS.decimal("toPort", 3, 8);
    /** LID of the other end. */
    public static final MadField TO_LID = FIELDS.hex("toLid", 4, 16);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(8);

    private LinkRecord() {}
}
