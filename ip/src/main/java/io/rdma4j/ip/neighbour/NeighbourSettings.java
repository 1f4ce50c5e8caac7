// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.concurrent.TimeUnit;

/**
 * Settings of a {@link NeighbourTable} ({@code neigh_parms}); the defaults are those of Linux. The reachable time is
 * not randomised, unlike RFC 4861, so that a simulation can be repeated.
 *
 * @param reachableNs time for which a reply proves reachability ({@code base_reachable_time})
 * @param retransmitNs time between two solicitations ({@code retrans_time})
 * @param delayNs time between the first packet to a stale neighbour and its first probe ({@code
 *     delay_first_probe_time})
 * @param lockNs time for which a link address learned by ARP is not replaced without an announcement ({@code locktime})
 * @param unicastProbes maximum number of solicitations to the known link address ({@code ucast_solicit})
 * @param multicastProbes maximum number of solicitations to all stations or the address's group ({@code mcast_solicit})
 * @param queueLength packets that wait for one reply; a further packet replaces the oldest ({@code unres_qlen})
 * @param capacity neighbours in the table ({@code gc_thresh3}); a further one replaces the least recently used one
 */
public record NeighbourSettings(
        long reachableNs,
        long retransmitNs,
        long delayNs,
        long lockNs,
        int unicastProbes,
        int multicastProbes,
        int queueLength,
        int capacity) {
    /** Defaults of Linux. */
    public static final NeighbourSettings DEFAULT = new NeighbourSettings(
            TimeUnit.SECONDS.toNanos(30),
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(5),
            TimeUnit.SECONDS.toNanos(1),
            3,
            3,
            101,
            1024);

    /**
     * Checks the values.
     *
     * @throws RdmaException EINVAL if a value is less than 1
     */
    public NeighbourSettings {
        checkPositive("reachableNs", reachableNs);
        checkPositive("retransmitNs", retransmitNs);
        checkPositive("delayNs", delayNs);
        checkPositive("lockNs", lockNs);
        checkPositive("unicastProbes", unicastProbes);
        checkPositive("multicastProbes", multicastProbes);
        checkPositive("queueLength", queueLength);
        checkPositive("capacity", capacity);
    }

    private static void checkPositive(String name, long value) {
        if (value < 1) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " is less than 1");
        }
    }
}
