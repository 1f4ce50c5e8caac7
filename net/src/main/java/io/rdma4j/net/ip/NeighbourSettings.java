package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.concurrent.TimeUnit;

/**
 * How a {@link NeighbourTable} behaves ({@code neigh_parms}); the defaults are Linux's. The time an answer counts is not
 * varied by chance, as RFC 4861 has it, so that a simulation can be run again.
 *
 * @param reachableNs how long an answer counts ({@code base_reachable_time})
 * @param retransmitNs from one question to the next ({@code retrans_time})
 * @param delayNs how long packets go to a stale neighbour before it is asked ({@code delay_first_probe_time})
 * @param lockNs how long a link address stays after it was learned by ARP, whatever others say ({@code locktime})
 * @param unicastProbes questions to where the neighbour was ({@code ucast_solicit})
 * @param multicastProbes questions to all, or to the group of the address ({@code mcast_solicit})
 * @param queueLength packets that wait for one answer; the oldest makes room for a further one ({@code unres_qlen})
 * @param capacity neighbours in the table ({@code gc_thresh3}); the one that was not sent to for longest makes room
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
    /** Linux's. */
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
     * Checks the numbers.
     *
     * @throws RdmaException EINVAL if a time, a number of questions, the queue or the table is less than 1
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
