// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Parameters for the allocation of a device ({@code alloc_netdev_mqs}).
 *
 * @param txQueues transmit queues; 0 for the driver's default
 * @param rxQueues receive queues; 0 for the driver's default
 * @param queueLength maximum number of packets in each transmit queue; -1 for the driver's default
 *     ({@code tx_queue_len})
 * @param priv the driver's private data for this device, or null ({@code netdev_priv})
 */
public record DeviceAllocation(
        int txQueues,
        int rxQueues,
        int queueLength,
        @Nullable Object priv) {
    /** The driver's defaults, for most drivers one queue each, and no private data. */
    public static final DeviceAllocation DRIVERS = new DeviceAllocation(0, 0, -1, null);

    /** Maximum number of transmit queues and of receive queues. */
    private static final int MAX_QUEUES = 0xFFFF;

    /**
     * Checks the numbers of queues.
     *
     * @throws RdmaException EINVAL for a number of queues outside 0 to 65535
     */
    public DeviceAllocation {
        if (txQueues < 0 || txQueues > MAX_QUEUES || rxQueues < 0 || rxQueues > MAX_QUEUES) {
            throw new RdmaException(
                    Errno.EINVAL, txQueues + " and " + rxQueues + " queues are not in 0.." + MAX_QUEUES);
        }
    }

    /**
     * {@return the driver's private data for the device, as passed at its allocation ({@code netdev_priv})}
     *
     * @param <P> type of the private data
     * @param type class of the private data
     * @throws ClassCastException if there is none, or it has another type
     */
    public <P> P priv(Class<P> type) {
        if (priv == null) {
            throw new ClassCastException("the device was made without anything of its driver's");
        }
        return type.cast(priv);
    }

    /** Returns the allocation with the numbers of a driver in place of its defaults. */
    DeviceAllocation or(int driversTxQueues, int driversRxQueues, int driversQueueLength) {
        return new DeviceAllocation(
                txQueues == 0 ? driversTxQueues : txQueues,
                rxQueues == 0 ? driversRxQueues : rxQueues,
                queueLength < 0 ? driversQueueLength : queueLength,
                priv);
    }

    /** {@return bytes of padding for alignment ({@code padded}): always 0, because the JVM aligns objects itself} */
    public int padded() {
        return 0;
    }
}
