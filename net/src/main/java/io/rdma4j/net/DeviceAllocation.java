package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What is made along with a device ({@code alloc_netdev_mqs}).
 *
 * @param txQueues transmit queues, 0 as many as the driver says
 * @param rxQueues receive queues, 0 as many as the driver says
 * @param queueLength packets that may wait in each transmit queue, -1 as many as the driver says ({@code tx_queue_len})
 * @param priv what the driver keeps for this device, null if nothing ({@code netdev_priv})
 */
public record DeviceAllocation(
        int txQueues,
        int rxQueues,
        int queueLength,
        @Nullable Object priv) {
    /** All as the driver says, which for most is one queue each, and nothing of the driver's. */
    public static final DeviceAllocation DRIVERS = new DeviceAllocation(0, 0, -1, null);

    /** The most queues of either sort. */
    private static final int MAX_QUEUES = 0xFFFF;

    /**
     * Checks the numbers of queues.
     *
     * @throws RdmaException EINVAL for more than 65535 queues, or less than none
     */
    public DeviceAllocation {
        if (txQueues < 0 || txQueues > MAX_QUEUES || rxQueues < 0 || rxQueues > MAX_QUEUES) {
            throw new RdmaException(
                    Errno.EINVAL, txQueues + " and " + rxQueues + " queues are not in 0.." + MAX_QUEUES);
        }
    }

    /**
     * {@return what the driver keeps for the device ({@code netdev_priv}), bound to it when it was made}
     *
     * @param <P> what the driver keeps
     * @param type its class
     * @throws ClassCastException if that is something else, or nothing
     */
    public <P> P priv(Class<P> type) {
        if (priv == null) {
            throw new ClassCastException("the device was made without anything of its driver's");
        }
        return type.cast(priv);
    }

    int txQueues(NetDeviceOps driver) {
        return txQueues == 0 ? driver.transmitQueues() : txQueues;
    }

    int rxQueues(NetDeviceOps driver) {
        return rxQueues == 0 ? driver.receiveQueues() : rxQueues;
    }

    int queueLength(NetDeviceOps driver) {
        return queueLength < 0 ? driver.queueLength() : queueLength;
    }

    /**
     * {@return bytes that alignment costs ({@code padded}): none, because objects of the JVM are aligned as they are}
     */
    public int padded() {
        return 0;
    }
}
