package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Losses that come in bursts: Gilbert's channel, which is good or bad and loses every packet while it is bad.
 *
 * @param begin probability that a good channel is bad from this packet on
 * @param end probability that a bad channel is good from this packet on
 */
public record BurstLoss(double begin, double end) {
    /** The channel is always good. */
    public static final BurstLoss NONE = new BurstLoss(0, 1);

    /**
     * Checks the probabilities.
     *
     * @throws RdmaException EINVAL for what is no probability, or bursts that never end
     */
    public BurstLoss {
        if (!(begin >= 0 && begin <= 1 && end > 0 && end <= 1)) {
            throw new RdmaException(
                    Errno.EINVAL, "bursts " + begin + "," + end + " are not P,Q with 0 <= P <= 1 and 0 < Q <= 1");
        }
    }

    /** {@return the share of packets that is lost in the long run} */
    public double share() {
        return begin / (begin + end);
    }
}
