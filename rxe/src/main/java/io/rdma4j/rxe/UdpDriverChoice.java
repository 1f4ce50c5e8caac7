package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.driver.UdpDriver;
import io.rdma4j.net.driver.UdpUnderlayDevice;
import io.rdma4j.net.driver.UdpUnderlaySettings;
import io.rdma4j.net.linux.LinuxUdpDevice;
import org.jspecify.annotations.Nullable;

/**
 * Which driver carries a device over UDP sockets. Without further word it is the fast one where it can be had, that is, on Linux
 * if the JVM may call native code, and the portable one elsewhere. The environment variable {@code RDMA4J_UDP}, or the system property {@code
 * rdma4j.udp}, insists on one.
 */
enum UdpDriverChoice {
    /** The fast one where it can be had. */
    AUTO,
    /** The one of the JDK. */
    PORTABLE,
    /** The fast one, or none. */
    LINUX;

    static final String VARIABLE = "RDMA4J_UDP";
    static final String PROPERTY = "rdma4j.udp";

    /** @throws RdmaException EINVAL for a word that is no choice */
    static UdpDriverChoice configured() {
        return parse(System.getProperty(PROPERTY, System.getenv(VARIABLE)));
    }

    static UdpDriverChoice parse(@Nullable String word) {
        return switch (word) {
            case null -> AUTO;
            case "", "auto" -> AUTO;
            case "portable" -> PORTABLE;
            case "linux" -> LINUX;
            default ->
                throw new RdmaException(Errno.EINVAL, VARIABLE + "=\"" + word + "\" is none of auto, portable, linux");
        };
    }

    /**
     * Binds the sockets and makes the device, down.
     *
     * @throws RdmaException EOPNOTSUPP if the one that was insisted on cannot be had; otherwise as the driver
     */
    UdpDriver open(UdpUnderlaySettings settings) {
        boolean fast = this == LINUX || this == AUTO && LinuxUdpDevice.isSupported();
        return fast ? LinuxUdpDevice.open(settings) : UdpUnderlayDevice.open(settings);
    }
}
