// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

/**
 * The enforcement of partitions at a port of a switch (IBA 10.9.6, 18.2.4.2): the P_Key of a packet must match an entry
 * of the table, in the low 15 bits, and one of the two must have full membership. Datagrams of subnet management pass.
 */
public final class PartitionFilter {
    private static final int FULL = 0x8000;
    private static final int MEMBERSHIP_MASK = 0x7FFF;

    private int[] pkeys = {};
    private boolean inbound;
    private boolean outbound;
    private boolean rawInbound;
    private boolean rawOutbound;

    PartitionFilter() {}

    /**
     * Replaces the table.
     *
     * @param keys 16 bits each; 0 for an empty entry
     */
    public void pkeys(int... keys) {
        pkeys = keys.clone();
    }

    /**
     * Switches enforcement on or off.
     *
     * @param in for packets that arrive
     * @param out for packets that leave
     */
    public void enforce(boolean in, boolean out) {
        inbound = in;
        outbound = out;
    }

    /**
     * Switches the filters of raw packets on or off.
     *
     * @param in for packets that arrive
     * @param out for packets that leave
     */
    public void filterRaw(boolean in, boolean out) {
        rawInbound = in;
        rawOutbound = out;
    }

    boolean admitsInbound(IbPacket packet) {
        return admits(packet, inbound, rawInbound);
    }

    boolean admitsOutbound(IbPacket packet) {
        return admits(packet, outbound, rawOutbound);
    }

    private boolean admits(IbPacket packet, boolean enforces, boolean filtersRaw) {
        if (packet.isManagement()) {
            return true;
        }
        return packet.nextHeader.isRaw() ? !filtersRaw : !enforces || isMember(packet.pkey);
    }

    private boolean isMember(int pkey) {
        for (int own : pkeys) {
            boolean isSame = ((own ^ pkey) & MEMBERSHIP_MASK) == 0 && (own & MEMBERSHIP_MASK) != 0;
            if (isSame && ((own | pkey) & FULL) != 0) {
                return true;
            }
        }
        return false;
    }
}
