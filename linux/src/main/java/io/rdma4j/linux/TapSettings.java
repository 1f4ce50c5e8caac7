// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.Gid;
import java.util.List;

/**
 * Settings of a TAP device.
 *
 * @param interfaceName of the kernel's end, at most 15 bytes; the device has the same name
 * @param macAddress of the device, 48 bits; 0 selects a random one
 * @param addresses of the device, IPv4 mapped into IPv6
 * @param mtu of both ends, bytes; 0 keeps that of the kernel's end
 * @param receiveBuffers number of frames that consumers hold; further frames wait in the kernel, at most 500 ({@code
 *     txqueuelen})
 */
public record TapSettings(String interfaceName, long macAddress, List<Gid> addresses, int mtu, int receiveBuffers) {
    /** Default number of frames that consumers hold. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 256;

    /** Copies the list. */
    public TapSettings {
        addresses = List.copyOf(addresses);
    }

    /**
     * {@return settings with a random link address and the kernel's MTU}
     *
     * @param interfaceName an interface of Linux
     * @param addresses of the device
     */
    public static TapSettings of(String interfaceName, Gid... addresses) {
        return new TapSettings(interfaceName, 0, List.of(addresses), 0, DEFAULT_RECEIVE_BUFFERS);
    }
}
