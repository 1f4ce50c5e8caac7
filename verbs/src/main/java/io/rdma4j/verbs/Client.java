// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Receives notifications when devices of a host are added and removed. Corresponds to {@code struct ib_client}.
 *
 * <p>The host makes one call at a time, on the thread that registers the client or that adds or removes the device. A
 * client may open devices and register objects with them. It must not wait for another thread that uses the same
 * {@link Host}. If a client throws, the exception is logged and the host continues as if the call had returned.
 */
public interface Client {
    /** {@return a name for log messages} Corresponds to {@code ib_client.name}. */
    String name();

    /**
     * Reports a device: once for each present device at registration, and once for each device that is added later. The
     * ports of a device have the numbers 1 to {@link io.rdma4j.verbs.device.DeviceAttributes#physicalPortCount}.
     * Corresponds to {@code ib_client.add}.
     *
     * @param device the object that {@link Host#devices} returns while the device is present
     */
    void add(Device device);

    /**
     * Reports that a device is removed or that the client was unregistered; once for each device that was added. When
     * the call returns, contexts of a removed device no longer work, see {@link Device#isPresent}. Corresponds to
     * {@code ib_client.remove}.
     *
     * @param device the device that was added
     * @param data the data that the client set with {@link Device#setClientData}, or null
     */
    void remove(Device device, @Nullable Object data);
}
