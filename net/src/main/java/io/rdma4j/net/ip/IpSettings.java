package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * How an {@link IpStack} behaves ({@code struct netns_ipv4}); the defaults are Linux's.
 *
 * @param neighbours who answers to which address
 * @param hopLimit of packets whose sender has no wish, 1..255 ({@code ip_default_ttl})
 * @param reassemblyBytes most memory of fragments that wait for others ({@code ipfrag_high_thresh})
 * @param errorsPerSecond most ICMP errors that are sent ({@code icmp_msgs_per_sec})
 * @param errorBurst most of them at once ({@code icmp_msgs_burst})
 */
public record IpSettings(
        NeighbourSettings neighbours, int hopLimit, int reassemblyBytes, int errorsPerSecond, int errorBurst) {
    /** Linux's. */
    public static final IpSettings DEFAULT = new IpSettings(NeighbourSettings.DEFAULT, 64, 4 << 20, 1000, 50);

    /**
     * Checks the numbers.
     *
     * @throws RdmaException EINVAL if a number is less than 1, or a hop limit more than 255
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
