// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Loss in bursts, by Gilbert's channel model: the channel is good or bad, and loses every packet while it is bad.
 *
 * @param begin probability that a good channel becomes bad, evaluated before each packet
 * @param end probability that a bad channel becomes good, evaluated before each packet
 */
public record BurstLoss(double begin, double end) {
    /** The channel is always good. */
    public static final BurstLoss NONE = new BurstLoss(0, 1);

    /**
     * Checks the probabilities.
     *
     * @throws RdmaException EINVAL if a value is not a probability, or {@code end} is 0
     */
    public BurstLoss {
        if (!(begin >= 0 && begin <= 1 && end > 0 && end <= 1)) {
            throw new RdmaException(
                    Errno.EINVAL, "bursts " + begin + "," + end + " are not P,Q with 0 <= P <= 1 and 0 < Q <= 1");
        }
    }

    /** {@return the long-term fraction of lost packets} */
    public double share() {
        return begin / (begin + end);
    }
}
