// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.core.LegacyVariable;
import io.rdma4j.verbs.values.ForkStatus;
import java.net.InetAddress;
import java.util.List;
import java.util.ServiceLoader;

/**
 * The entry point of the API: lists and opens the devices of this machine.
 *
 * {@snippet :
 * try (Context context = Rdma.open("rxe_lo");
 *         ProtectionDomain pd = context.allocatePd()) {
 *     // memory regions, completion queues, queue pairs
 * }
 * }
 *
 * <p>Uses one {@link Host} with all installed providers. The first call creates it, and it exists until the JVM ends.
 * That host is the only static state of the library. Any thread.
 */
public final class Rdma {
    private static final class DefaultHost {
        static final Host HOST = make();

        private static Host make() {
            LegacyVariable.report(System.getenv(), System.getLogger(Rdma.class.getName()));
            Host host = Host.withServiceProviders("default");
            if (wantsManagement()) {
                ServiceLoader.load(HostExtension.class).forEach(extension -> extension.attach(host));
            }
            return host;
        }
    }

    /**
     * System property: {@code on} registers the devices as management beans. A JVM with a remote management agent
     * registers them, too.
     */
    private static final String MANAGEMENT = "rdma4j.jmx";

    private static final String REMOTE_AGENT = "com.sun.management.jmxremote";

    private Rdma() {}

    private static boolean wantsManagement() {
        return "on".equals(System.getProperty(MANAGEMENT))
                || System.getProperties().stringPropertyNames().stream()
                        .anyMatch(name -> name.startsWith(REMOTE_AGENT));
    }

    /** {@return the host of this JVM; never close it} */
    public static Host host() {
        return DefaultHost.HOST;
    }

    /** {@return the present devices} Corresponds to {@code ibv_get_device_list}. */
    public static List<Device> devices() {
        return host().devices();
    }

    /**
     * Opens a device. Corresponds to {@code ibv_open_device}.
     *
     * @param name of {@link #devices}, such as {@code rxe_lo}
     * @return an open device; the caller closes it
     * @throws io.rdma4j.base.RdmaException ENODEV if there is no device of this name; the errors of the provider's open
     */
    public static Context open(String name) {
        return host().open(name);
    }

    /**
     * Finds the device whose interface has the route to a peer. Corresponds to {@code rdma_resolve_addr}.
     *
     * @param peer an address of the peer, or of this machine
     * @return the device with the source address of the route to the peer
     * @throws io.rdma4j.base.RdmaException ENETUNREACH, ENODEV: as {@link Host#deviceTo}
     */
    public static Device deviceTo(InetAddress peer) {
        return host().deviceTo(peer);
    }

    /**
     * Finds the device that has an address of this machine, such as the local address of a connection. Corresponds to
     * {@code rdma_bind_addr}.
     *
     * @param local an address of this machine
     * @return the device
     * @throws io.rdma4j.base.RdmaException ENODEV: as {@link Host#deviceAt}
     */
    public static Device deviceAt(InetAddress local) {
        return host().deviceAt(local);
    }

    /**
     * Does nothing, because a JVM does not fork. Corresponds to {@code ibv_fork_init}, which always succeeds here.
     * {@link ProcessBuilder} calls exec in the child at once, which libibverbs allows without preparation, too.
     */
    public static void forkInit() {
        // No child process can inherit registered memory.
    }

    /**
     * {@return always {@link ForkStatus#UNNEEDED}, before and after {@link #forkInit}} Corresponds to
     * {@code ibv_is_fork_initialized}.
     */
    public static ForkStatus forkStatus() {
        return ForkStatus.UNNEEDED;
    }
}
