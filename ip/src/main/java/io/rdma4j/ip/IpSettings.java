// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.ip.neighbour.NeighbourSettings;

/**
 * Settings of an {@link IpStack} ({@code struct netns_ipv4}); the defaults are those of Linux.
 *
 * @param neighbours settings of the neighbour tables
 * @param hopLimit of packets whose sender sets none, 1..255 ({@code ip_default_ttl})
 * @param reassemblyBytes maximum memory of incomplete packets, bytes ({@code ipfrag_high_thresh})
 * @param errorsPerSecond maximum number of ICMP errors sent per second ({@code icmp_msgs_per_sec})
 * @param errorBurst maximum number of ICMP errors sent at once ({@code icmp_msgs_burst})
 */
public record IpSettings(
        NeighbourSettings neighbours, int hopLimit, int reassemblyBytes, int errorsPerSecond, int errorBurst) {
    /** Defaults of Linux. */
    public static final IpSettings DEFAULT = new IpSettings(NeighbourSettings.DEFAULT, 64, 4 << 20, 1000, 50);

    /**
     * Checks the values.
     *
     * @throws RdmaException EINVAL if a number is less than 1, or the hop limit is more than 255
     */
    public IpSettings {
        if (hopLimit < 1 || hopLimit > 255) {
            throw new RdmaException(Errno.EINVAL, "hop limit " + hopLimit + " is not in 1..255");
        }
        checkPositive("reassemblyBytes", reassemblyBytes);
        checkPositive("errorsPerSecond", errorsPerSecond);
        checkPositive("errorBurst", errorBurst);
    }

    private static void checkPositive(String name, int value) {
        if (value < 1) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is less than 1");
        }
    }
}
