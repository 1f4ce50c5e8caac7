// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.DeviceServer;
import io.rdma4j.verbs.local.RunDirectory;

/**
 * Serves devices by {@link UverbsServer} when they are published. Corresponds to {@code ib_uverbs} for the kernel's
 * devices.
 */
public final class UverbsDeviceServer implements DeviceServer {
    /** For {@link java.util.ServiceLoader}. */
    public UverbsDeviceServer() {}

    @Override
    public Service serve(Device device, RunDirectory directory) {
        return UverbsServer.open(device, directory);
    }
}
