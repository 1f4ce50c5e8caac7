// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/** The attribute GUIDInfo of subnet management (IBA 14.2.5.5): a block of eight GUIDs of a port. */
public final class GuidInfo {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("GUIDInfo");
    /** Interface IDs of the GIDs; entry 0 of block 0 is the port GUID and cannot be set. */
    public static final MadArray GUIDS = FIELDS.settable().component(4).hexArray("guid", 0, 64, 8);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private GuidInfo() {}
}
