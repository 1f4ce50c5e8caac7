// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.Gid;
import java.util.List;

/**
 * Settings of a device over a packet socket.
 *
 * @param interfaceName of the interface below, at most 15 bytes; the device has the same name
 * @param macAddress of the device, 48 bits; 0 selects a random one. If it is the interface's, both receive its frames
 * @param addresses of the device, none of them the system's own; IPv4 mapped into IPv6
 * @param receiveBuffers number of frames that consumers hold; further frames wait in the buffer of the socket
 */
public record PacketSocketSettings(String interfaceName, long macAddress, List<Gid> addresses, int receiveBuffers) {
    /** Default number of frames that consumers hold. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 256;

    /** Copies the list. */
    public PacketSocketSettings {
        addresses = List.copyOf(addresses);
    }

    /**
     * {@return settings with a random link address}
     *
     * @param interfaceName an interface of Linux
     * @param addresses of the device
     */
    public static PacketSocketSettings of(String interfaceName, Gid... addresses) {
        return new PacketSocketSettings(interfaceName, 0, List.of(addresses), DEFAULT_RECEIVE_BUFFERS);
    }
}
