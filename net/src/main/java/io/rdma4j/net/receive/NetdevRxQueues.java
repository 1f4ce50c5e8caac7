// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.receive;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.StateBits;
import io.rdma4j.packet.PacketMeta;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * The receive queues of a device ({@code dev->_rx}), and the ingress queue before them ({@code ingress_queue}). A
 * driver with several queues sets {@link PacketMeta#queueMapping} to the number of the packet's queue plus 1. Any
 * thread may call it.
 */
public final class NetdevRxQueues {
    private final DeviceCore core;
    private final LoopLink link;
    private final NetdevRxQueue[] queues;
    private volatile int realCount;
    private volatile boolean steers;
    private volatile @Nullable IngressQueue ingress;

    /**
     * Creates the queues of a device ({@code netif_alloc_rx_queues}).
     *
     * @param core core of the device
     * @param count number of queues
     * @param link loop of the device
     */
    public NetdevRxQueues(DeviceCore core, int count, LoopLink link) {
        this.core = core;
        this.link = link;
        this.queues = new NetdevRxQueue[count];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new NetdevRxQueue(this, i);
        }
        this.realCount = queues.length;
    }

    /** {@return number of queues ({@code num_rx_queues}); constant} */
    public int count() {
        return queues.length;
    }

    /** {@return number of queues in use ({@code real_num_rx_queues})} */
    public int realCount() {
        return realCount;
    }

    /**
     * Sets the number of queues in use ({@code netif_set_real_num_rx_queues}).
     *
     * @param inUse 1 to {@link #count}
     * @throws RdmaException EINVAL if not 1..{@link #count}
     */
    public void realCount(int inUse) {
        if (inUse < 1 || inUse > queues.length) {
            throw new RdmaException(
                    Errno.EINVAL, core.name() + ": " + inUse + " receive queues in use are not in 1.." + queues.length);
        }
        realCount = inUse;
        update();
    }

    /**
     * {@return the queue with a number}
     *
     * @param index from 0
     * @throws RdmaException EINVAL if there is none
     */
    public NetdevRxQueue queue(int index) {
        if (index < 0 || index >= queues.length) {
            throw new RdmaException(
                    Errno.EINVAL, core.name() + ": receive queue " + index + " is not in 0.." + (queues.length - 1));
        }
        return queues[index];
    }

    /** True if the ingress queue was created. The compiler inlines this also before the type of the queue is loaded. */
    boolean hasIngress() {
        return ingress != null;
    }

    /** {@return the ingress queue, null if it was never created ({@code dev_ingress_queue})} */
    public @Nullable IngressQueue ingress() {
        return ingress;
    }

    /** {@return the ingress queue; creates it if there is none ({@code dev_ingress_queue_create})} */
    public synchronized IngressQueue createIngress() {
        IngressQueue there = ingress;
        if (there == null) {
            there = new IngressQueue();
            ingress = there;
            core.state().change(StateBits.INGRESS_QUEUE, true);
        }
        return there;
    }

    void update() {
        boolean any = false;
        for (int i = 0; i < realCount; i++) {
            any |= queues[i].rpsCpus() != 0;
        }
        steers = any;
    }

    /**
     * Steers a packet to the worker of its flow ({@code get_rps_cpu}). Returns false if the polling thread must process
     * it. Called by the loop's owner.
     */
    boolean steer(SkBuff skb) {
        if (!steers) {
            return false;
        }
        PollLoop loop = link.loop();
        int index = Math.max(skb.meta().queueMapping() - 1, 0);
        return loop != null && index < realCount && loop.softnet().steer(skb, core.stats(), queues[index].rpsCpus());
    }

    /** Returns false if the ingress queue's filter rejects the packet. */
    boolean admits(SkBuff skb) {
        IngressQueue there = ingress;
        return there == null || there.admits(skb);
    }
}
