// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.local.RunDirectory;
import java.nio.file.Path;

/**
 * Serves devices of this process to other processes, which have a {@link io.rdma4j.verbs.spi.Driver} for them. The core
 * loads it with {@link java.util.ServiceLoader} when an exclusive device ({@link
 * io.rdma4j.verbs.spi.DeviceOps#isExclusive}) is opened, or the application registers it with a {@link
 * io.rdma4j.verbs.Host}.
 */
public interface DeviceServer {
    /**
     * Begins to serve a device. Must not open the device before the first client connects.
     *
     * @param device of this process, open
     * @param directory run directory in which other processes find the device
     * @return the service; the caller closes it to end it
     * @throws RdmaException EOPNOTSUPP if there is no driver for the device, EIO if it cannot be published
     */
    Service serve(Device device, RunDirectory directory);

    /** A served device. Any thread. */
    interface Service extends AutoCloseable {
        /** {@return the entry in the run directory} */
        Path entry();

        /** Writes the addresses that the device has now into the entry. */
        default void addressesChanged() {}

        /**
         * Ends the service: clients see the device as removed. Closes the objects of all clients before it returns.
         * Idempotent.
         */
        @Override
        void close();
    }
}
