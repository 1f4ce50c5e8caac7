// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.net.address.InterfaceAddress;
import java.util.List;

/**
 * Describes an Ethernet link of a device with its own addresses. The device runs its own IP stack; Linux and other
 * stations are its neighbours.
 *
 * @param kind the kind of interface that transmits the frames
 * @param interfaceName name of the Linux interface
 * @param macAddress of the device, 48 bits; 0 for a random one
 * @param mtu to set on the interface, bytes; 0 to leave it unchanged
 * @param addresses of the device, in the order of the GID table
 */
public record EthernetLink(
        Kind kind, String interfaceName, long macAddress, int mtu, List<InterfaceAddress> addresses) {
    /** The kind of interface that transmits the frames. */
    public enum Kind {
        /** A TAP interface; the Linux of this machine is at its other end. */
        TAP,
        /** A packet socket on an interface; the device is a station on the network of that interface. */
        PACKET
    }

    /** Copies the list. */
    public EthernetLink {
        addresses = List.copyOf(addresses);
    }
}
