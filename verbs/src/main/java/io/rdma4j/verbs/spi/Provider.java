// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Collection;

/**
 * A kind of device of this JVM, as a device driver of the kernel's {@code ib_core}. For devices that another process
 * serves see {@link Driver}.
 *
 * <p>Each {@link io.rdma4j.verbs.Host} has its own instances, loaded with {@link java.util.ServiceLoader} or
 * registered. A provider keeps its state in fields of the instance and not in static fields. The core checks arguments
 * before it calls the provider.
 */
public interface Provider extends AutoCloseable {
    /** Version of these interfaces. */
    int ABI_VERSION = 1;

    /** {@return name of the kind, such as {@code rxe}} */
    String name();

    /** {@return the oldest supported version of these interfaces ({@code match_min_abi_version})} */
    default int minAbiVersion() {
        return ABI_VERSION;
    }

    /** {@return the newest supported version of these interfaces ({@code match_max_abi_version})} */
    default int maxAbiVersion() {
        return ABI_VERSION;
    }

    /**
     * {@return the present devices ({@code alloc_device})} Called at each listing, so it must be cheap and open
     * nothing.
     *
     * <p>The provider returns the same object for the same device each time. A device that is missing in the result has
     * been removed.
     */
    Collection<? extends DeviceOps> discover();

    /**
     * Creates a device over a network interface ({@code struct rdma_link_ops}, {@code newlink}); {@link #discover}
     * returns it from now on.
     *
     * @param name of the device; not used in the host
     * @param netdev name of the interface
     * @throws RdmaException ENODEV if the interface does not exist, EEXIST if it already has a device of this provider,
     *     EOPNOTSUPP if the provider does not create devices in this way
     */
    default void newLink(String name, String netdev) {
        throw new RdmaException(Errno.EOPNOTSUPP, "provider " + name() + " makes no devices over network interfaces");
    }

    /** Called when the host is closed; no context is open any more. */
    @Override
    default void close() {}
}
