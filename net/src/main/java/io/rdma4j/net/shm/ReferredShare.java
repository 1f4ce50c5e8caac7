package io.rdma4j.net.shm;

/**
 * How many packets one peer may keep waiting, of those that all peers of a device keep: a sender's buffers are free again only when the peer has read the
 * payload, and a peer that is stopped reads nothing. As in the shared buffer of a switch with dynamic thresholds, a peer has at most as many as are left
 * for all: the first stopped peer takes half, the next one a quarter, and so on, so that peers that read always find some. For the owner of the loop.
 */
final class ReferredShare {
    /** For all peers: three quarters of the buffers that a RoCE port sends from. */
    static final int MOST = 768;

    /** For each peer, however many others there are. */
    static final int LEAST = 4;

    private final Runnable reaper;
    private int count;

    /** @param reaper finds out which packets peers have read meanwhile, and frees them */
    ReferredShare(Runnable reaper) {
        this.reaper = reaper;
    }

    /** True if a peer that keeps {@code own} packets waiting may have one more. */
    boolean admits(int own) {
        return own < LEAST || own < MOST - count;
    }

    /** Frees what any peer has read. */
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
