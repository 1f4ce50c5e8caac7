// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad.sm;

import io.rdma4j.wire.mad.MadArray;
import io.rdma4j.wire.mad.MadLayout;

/**
 * The attribute MulticastForwardingTable of subnet management (IBA 14.2.5.12): masks of 16 ports for a block of 32
 * multicast LIDs.
 */
public final class MulticastForwardingTable {
    private static final MadLayout.Builder FIELDS = MadLayout.builder("MulticastForwardingTable");
    /** Bit k stands for port 16 times the position plus k. */
    public static final MadArray MASKS = FIELDS.settable().hexArray("portMask", 0, 16, 32);
    /** The structure. */
    public static final MadLayout LAYOUT = FIELDS.build(Smp.DATA_BYTES);

    private MulticastForwardingTable() {}
}
