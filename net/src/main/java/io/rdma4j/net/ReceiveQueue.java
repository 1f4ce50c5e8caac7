package io.rdma4j.net;

/** One receive queue of a device ({@code struct netdev_rx_queue}): which workers its packets are spread over. */
public final class ReceiveQueue {
    private final ReceiveQueues all;
    private final int index;
    private volatile long rpsCpus;

    ReceiveQueue(ReceiveQueues all, int index) {
        this.all = all;
        this.index = index;
    }

    /** {@return its number among those of the device, from 0} */
    public int index() {
        return index;
    }

    /**
     * {@return workers that its packets are given to by their flow, bit 0 for worker 0 ({@code rps_cpus}); 0: whoever
     * polls has them}
     */
    public long rpsCpus() {
        return rpsCpus;
    }

    /**
     * Changes it; any thread.
     *
     * @param workers bit 0 for worker 0; 0: whoever polls has them
     */
    public void rpsCpus(long workers) {
        rpsCpus = workers;
        all.update();
    }
}
