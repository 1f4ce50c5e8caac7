// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

/**
 * Limits the zero-copy packets that wait for one peer, as a share of those of all peers of a device. A sender's buffer
 * is free only when the peer has read the payload, and a stopped peer reads nothing.
 *
 * <p>The rule is that of a switch's shared buffer with dynamic thresholds: a peer may have at most as many packets
 * waiting as remain for all. The first stopped peer takes half, the second a quarter, and so on, so that buffers remain
 * for peers that read. For the owner of the loop.
 */
final class ZeroCopyQuota {
    /** Limit of all peers together, packets: three quarters of the buffers that a RoCE port sends from. */
    static final int MOST = 768;

    /** Guaranteed limit of each peer, packets. */
    static final int LEAST = 4;

    private final Runnable reaper;
    private int count;

    /** @param reaper frees the packets that peers have read */
    ZeroCopyQuota(Runnable reaper) {
        this.reaper = reaper;
    }

    /** Returns true if a peer with {@code own} waiting packets may have one more. */
    boolean admits(int own) {
        return own < LEAST || own < MOST - count;
    }

    /** Frees the packets that any peer has read. */
    void reap() {
        reaper.run();
    }

    void take() {
        count++;
    }

    void giveBack() {
        count--;
    }
}
