package io.rdma4j.verbs.spi;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Device;
import java.nio.file.Path;

/**
 * Serves devices of this process to others, which have a {@link Driver} for them. {@link java.util.ServiceLoader} finds it when a
 * device is opened that one process at a time can have ({@link DeviceOps#isExclusive}), or it is registered with a
 * {@link io.rdma4j.verbs.Host}.
 */
public interface DeviceServer {
    /**
     * Begins to serve a device. It must not open the device before a client is there.
     *
     * @param device of this process, open
     * @param directory where others find it
     * @return what serves it until it is closed
     * @throws RdmaException EOPNOTSUPP if no driver knows what to do with it, EIO if others cannot be told of it
     */
    Service serve(Device device, RunDirectory directory);

    /** A device that is served. Any thread. */
    interface Service extends AutoCloseable {
        /** {@return where others find it} */
        Path entry();

        /** Serves it no more: clients see it go. What they had made is closed before this returns. Idempotent. */
        @Override
        void close();
    }
}
