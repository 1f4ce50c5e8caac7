package io.rdma4j.uverbs.server;

import io.rdma4j.verbs.Device;
import io.rdma4j.verbs.spi.DeviceServer;
import io.rdma4j.verbs.spi.RunDirectory;

/** Serves devices by {@link UverbsServer}, without being told to: what {@code ib_uverbs} is to the devices of the kernel. */
public final class UverbsDeviceServer implements DeviceServer {
    /** Made by {@link java.util.ServiceLoader}. */
    public UverbsDeviceServer() {}

    @Override
    public Service serve(Device device, RunDirectory directory) {
        return UverbsServer.open(device, directory);
    }
}
