// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;

/**
 * The multicast group of all stations with IP over InfiniBand in a partition (RFC 4391, 5). The subnet manager makes it
 * at its first sweep, and it stays without members.
 *
 * @param mtu code of the MTU: 1 for 256 bytes to 5 for 4096
 * @param rate code of the rate: 6 bits
 * @param serviceLevel 4 bits
 * @param scope of the group: 4 bits; 2 is link-local
 * @param qkey Q_Key of the stations
 * @param trafficClass 8 bits
 * @param flowLabel 20 bits
 */
public record BroadcastGroup(
        int mtu, int rate, int serviceLevel, int scope, int qkey, int trafficClass, int flowLabel) {
    /** As OpenSM: 2048 bytes, 10 Gb/s, service level 0, link-local. */
    public static final BroadcastGroup DEFAULT = new BroadcastGroup(4, 3, 0, 2, 0x0B1B, 0, 0);

    private static final int MAX_MTU = 5;
    private static final int RATE_BITS = 6;
    private static final int LABEL_BITS = 20;
    private static final int NIBBLE = 4;
    private static final long SIGNATURE = 0xFF10_401B_0000_0000L;
    private static final int SCOPE_SHIFT = 48;
    private static final int FULL_BIT = 0x8000;
    private static final long ALL_STATIONS = 0xFFFF_FFFFL;

    /**
     * Checks the widths.
     *
     * @throws RdmaException EINVAL for a value that does not fit its field
     */
    public BroadcastGroup {
        if (mtu < 1
                || mtu > MAX_MTU
                || rate >>> RATE_BITS != 0
                || serviceLevel >>> NIBBLE != 0
                || scope >>> NIBBLE != 0
                || trafficClass >>> Byte.SIZE != 0
                || flowLabel >>> LABEL_BITS != 0) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "MTU 1..5, rate 0..63, service level and scope 0..15, traffic class 0..255 and flow label of 20"
                            + " bits: mtu " + mtu + ", rate " + rate + ", sl " + serviceLevel + ", scope " + scope
                            + ", tclass " + trafficClass + ", flow label " + flowLabel);
        }
    }

    /**
     * {@return the multicast GID for a partition (RFC 4391, 4)}
     *
     * @param pkey of the partition
     */
    public Gid mgid(int pkey) {
        long prefix = SIGNATURE | (long) scope << SCOPE_SHIFT | (long) (pkey | FULL_BIT) << Short.SIZE;
        return new Gid(prefix, ALL_STATIONS);
    }
}
