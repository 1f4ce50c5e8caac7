package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Host;
import java.util.Collection;

/**
 * A kind of device of this JVM: what a device driver is to the kernel's {@code ib_core}. Devices that another process serves have a
 * {@link Driver}.
 *
 * <p>Each {@link Host} has instances of its own, found by {@link java.util.ServiceLoader} or registered; a provider keeps
 * what it knows of a machine in its fields and nothing in statics. The core checks arguments before it calls, so a
 * provider only does what differs.
 */
public interface Provider extends AutoCloseable {
    /** The version of these interfaces. */
    int ABI_VERSION = 1;

    /** {@return name of the kind, such as {@code rxe}} */
    String name();

    /** {@return the oldest version of these interfaces it can work with ({@code match_min_abi_version})} */
    default int minAbiVersion() {
        return ABI_VERSION;
    }

    /** {@return the newest version of these interfaces it can work with ({@code match_max_abi_version})} */
    default int maxAbiVersion() {
        return ABI_VERSION;
    }

    /**
     * {@return the devices that are there now ({@code alloc_device})} Called at each listing, so it must be cheap: open
     * nothing here.
     *
     * <p>A device found before is answered with the same object; one that is no longer answered has vanished.
     *
     * @param host that it is registered with
     */
    Collection<? extends DeviceOps> discover(Host host);

    /**
     * Makes a device over a network interface ({@code struct rdma_link_ops}, {@code newlink}); {@link #discover} answers it from
     * now on.
     *
     * @param name of the device; the host has none of this name
     * @param netdev name of the interface
     * @throws RdmaException ENODEV if there is no such interface, EEXIST if it carries a device of this provider already,
     *     EOPNOTSUPP if the provider's devices do not come about in this way
     */
    default void newLink(String name, String netdev) {
        throw new RdmaException(Errno.EOPNOTSUPP, "provider " + name() + " makes no devices over network interfaces");
    }

    /** The host is closed; no context is open any more. */
    @Override
    default void close() {}
}
