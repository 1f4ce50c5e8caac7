package io.rdma4j.verbs;

import io.rdma4j.verbs.spi.HostExtension;
import java.net.InetAddress;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Where a program begins: the devices of this machine.
 *
 * {@snippet :
 * try (Context context = Rdma.open("rxe_lo");
 *         ProtectionDomain pd = context.allocatePd()) {
 *     // memory regions, completion queues, queue pairs
 * }
 * }
 *
 * <p>Works on one {@link Host} with all installed providers, which is made at the first call and lives as long as the
 * JVM. That host is the only static state of the library. Any thread may call.
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

    /** System property: {@code on} registers the devices as management beans, as does a JVM with a remote management agent. */
    private static final String MANAGEMENT = "rdma4j.jmx";

    private static final String REMOTE_AGENT = "com.sun.management.jmxremote";

    private Rdma() {}

    private static boolean wantsManagement() {
        return "on".equals(System.getProperty(MANAGEMENT))
                || System.getProperties().stringPropertyNames().stream()
                        .anyMatch(name -> name.startsWith(REMOTE_AGENT));
    }

    /** {@return the machine that the JVM runs on; never close it} */
    public static Host host() {
        return DefaultHost.HOST;
    }

    /** {@return the devices that are there now} Answers to {@code ibv_get_device_list}. */
    public static List<Device> devices() {
        return host().devices();
    }

    /**
     * Opens a device. Answers to {@code ibv_open_device}.
     *
     * @param name as {@link #devices} tell it, such as {@code rxe_lo}
     * @return an open device; the caller closes it
     * @throws io.rdma4j.base.RdmaException ENODEV if there is none of this name; whatever keeps it from opening
     */
    public static Context open(String name) {
        return host().open(name);
    }

    /**
     * Finds the device whose interface has the route to a peer. Answers to {@code rdma_resolve_addr}.
     *
     * @param peer an address of the peer, or of this machine
     * @return the device that has the address from which this machine sends to the peer
     * @throws io.rdma4j.base.RdmaException ENETUNREACH, ENODEV: as {@link Host#deviceTo}
     */
    public static Device deviceTo(InetAddress peer) {
        return host().deviceTo(peer);
    }

    /**
     * Finds the device that has an address of this machine, such as the local address of a connection. Answers to
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
     * Prepares for {@code fork}. Answers to {@code ibv_fork_init}: always succeeds and does nothing, because a JVM does not
     * fork. {@link ProcessBuilder} begins a program of its own in the child at once, which libibverbs allows without
     * preparation as well.
     */
    public static void forkInit() {
        // There is no child that could inherit registered memory.
    }

    /**
     * {@return always {@link ForkStatus#UNNEEDED}, before and after {@link #forkInit}} Answers to
     * {@code ibv_is_fork_initialized}.
     */
    public static ForkStatus forkStatus() {
        return ForkStatus.UNNEEDED;
    }
}
