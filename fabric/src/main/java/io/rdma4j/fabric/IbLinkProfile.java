// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.fabric;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What a link costs, and whether it makes bytes.
 *
 * @param hasRate true if a byte takes the time that width and speed of the link give; false for an unlimited rate
 * @param latencyNs time from the last byte sent to the last byte received
 * @param bufferBlocks input buffer of each data lane at each end, in blocks of 64 bytes; {@link #UNLIMITED} for no flow
 *     control
 * @param trainingNs time from the loss of a link until it is up again
 * @param makesBytes true for a wire link: each packet becomes bytes with its CRCs, which the other end checks
 * @param noise disturbs a wire link; null for none
 */
public record IbLinkProfile(
        boolean hasRate,
        long latencyNs,
        int bufferBlocks,
        long trainingNs,
        boolean makesBytes,
        @Nullable LinkNoise noise) {
    /** A buffer without limit. */
    public static final int UNLIMITED = LaneCredits.UNLIMITED;

    /** A plain link: no delay, no flow control, no bytes. */
    public static final IbLinkProfile PLAIN = new IbLinkProfile(false, 0, UNLIMITED, 0, false, null);

    /**
     * Checks the values.
     *
     * @throws RdmaException EINVAL if a time is negative, the buffer is empty, or a link without bytes has noise
     */
    public IbLinkProfile {
        if (latencyNs < 0 || trainingNs < 0 || bufferBlocks < 1) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "times of a link are 0 or more and its buffer has 1 block or more: latencyNs " + latencyNs
                            + ", trainingNs " + trainingNs + ", bufferBlocks " + bufferBlocks);
        }
        if (noise != null && !makesBytes) {
            throw new RdmaException(Errno.EINVAL, "only a link that makes bytes can have noise");
        }
    }

    /**
     * {@return a wire link}
     *
     * @param latencyNs time from the last byte sent to the last byte received
     * @param bufferBlocks input buffer of each data lane, in blocks of 64 bytes
     */
    public static IbLinkProfile wire(long latencyNs, int bufferBlocks) {
        return new IbLinkProfile(true, latencyNs, bufferBlocks, 0, true, null);
    }

    /**
     * {@return the same link with noise}
     *
     * @param disturbance sees and changes the bytes
     */
    public IbLinkProfile with(LinkNoise disturbance) {
        return new IbLinkProfile(hasRate, latencyNs, bufferBlocks, trainingNs, makesBytes, disturbance);
    }
}
