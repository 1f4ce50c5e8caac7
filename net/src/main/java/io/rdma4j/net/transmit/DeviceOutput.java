// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.receive.DeviceHandlers;
import io.rdma4j.net.receive.LoopLink;
import io.rdma4j.net.skb.HookPoint;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;

/** Sends the packets of a device: through its filters, its transmit queues and the fix-ups for its driver. */
public final class DeviceOutput {
    private final DeviceCore core;
    private final TransmitDriver driver;
    private final DeviceHandlers handlers;
    private final LoopLink loop;
    private final TransmitFixup fixup;
    private final TransmitQueues queues;

    /**
     * Creates the output of a device.
     *
     * @param core core of the device
     * @param features features of the device
     * @param driver driver of the device
     * @param handlers see the packets
     * @param loop loop of the device
     * @param size size of the queues
     */
    public DeviceOutput(
            DeviceCore core,
            DeviceFeatures features,
            TransmitDriver driver,
            DeviceHandlers handlers,
            LoopLink loop,
            QueueSize size) {
        this.core = core;
        this.driver = driver;
        this.handlers = handlers;
        this.loop = loop;
        this.fixup = new TransmitFixup(core, features, driver, handlers.protocols(), size.packetsKept());
        this.queues = new TransmitQueues(core, features, driver, fixup, loop, size);
    }

    /** {@return the transmit queues} */
    public TransmitQueues queues() {
        return queues;
    }

    /**
     * Sends a packet or train that begins with its link header ({@code dev_queue_xmit}).
     *
     * @param skb the packet; the device owns it if the result is OK
     * @return OK: the device owns the buffer; BUSY: the caller keeps it
     */
    public NetdevTx transmit(SkBuff skb) {
        if (!core.state().maySend()) {
            core.stats().countTransmitDrop();
            skb.free();
            return NetdevTx.OK;
        }
        skb.meta().device(core.device());
        if (!handlers.hooks().pass(HookPoint.EGRESS, skb, null, core.device())) {
            core.stats().countTransmitDrop();
            return NetdevTx.OK;
        }
        return queues.transmit(skb);
    }

    /**
     * Continues with waiting packets.
     *
     * @return false if packets still wait, in the driver or before it
     */
    public boolean flush() {
        return !core.state().isRunning() || queues.flush();
    }

    /**
     * Drops matching packets in the queues.
     *
     * @param condition selects packets; changes nothing
     */
    public void drop(Predicate<? super SkBuff> condition) {
        queues.drop(condition);
    }

    /**
     * Drops matching packets in the queues, in the driver and in the workers' backlogs.
     *
     * @param condition selects packets; changes nothing
     * @return number of dropped buffers
     */
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        int dropped = queues.drop(condition) + driver.dropWaiting(condition) + loop.drop(core.device(), condition);
        for (int i = 0; i < dropped; i++) {
            core.stats().countTransmitDrop();
        }
        return dropped;
    }

    /** Starts the queues when the device comes up ({@code dev_activate}). */
    public void start() {
        queues.start();
    }

    /** Releases the buffers; the device has no references. */
    public void close() {
        fixup.close();
    }
}
