// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.udp.LinuxUdpDevice;
import io.rdma4j.udp.UdpDriver;
import io.rdma4j.udp.UdpUnderlayDevice;
import io.rdma4j.udp.UdpUnderlaySettings;
import org.jspecify.annotations.Nullable;

/**
 * Selects the driver of a device over UDP sockets. The default is the Linux driver if the JVM runs on Linux and may
 * call native code, otherwise the portable one. The environment variable {@code RDMA4J_UDP} or the system property
 * {@code rdma4j.udp} selects a driver explicitly.
 */
enum UdpDriverChoice {
    /** The Linux driver if it is supported, otherwise the portable one. */
    AUTO,
    /** The driver that uses the JDK's channels. */
    PORTABLE,
    /** The Linux driver; opening fails if it is not supported. */
    LINUX;

    static final String VARIABLE = "RDMA4J_UDP";
    static final String PROPERTY = "rdma4j.udp";

    /** @throws RdmaException EINVAL for an unknown word */
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
     * Binds the sockets and creates the device, which is down.
     *
     * @throws RdmaException EOPNOTSUPP if the selected driver is not supported; otherwise the error of the driver
     */
    UdpDriver open(UdpUnderlaySettings settings) {
        boolean fast = this == LINUX || this == AUTO && LinuxUdpDevice.isSupported();
        return fast ? LinuxUdpDevice.open(settings) : UdpUnderlayDevice.open(settings);
    }
}
