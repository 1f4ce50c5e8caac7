// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

/** One receive queue of a device ({@code struct netdev_rx_queue}), with the workers that its packets are steered to. */
public final class NetdevRxQueue {
    private final NetdevRxQueues all;
    private final int index;
    private volatile long rpsCpus;

    NetdevRxQueue(NetdevRxQueues all, int index) {
        this.all = all;
        this.index = index;
    }

    /** {@return its number in the device, from 0} */
    public int index() {
        return index;
    }

    /**
     * {@return workers to which its packets are steered by their flow, bit 0 for worker 0 ({@code rps_cpus}); 0: the
     * polling thread processes them}
     */
    public long rpsCpus() {
        return rpsCpus;
    }

    /**
     * Sets the workers. Any thread may call it.
     *
     * @param workers bit 0 for worker 0; 0: the polling thread processes the packets
     */
    public void rpsCpus(long workers) {
        rpsCpus = workers;
        all.update();
    }
}
