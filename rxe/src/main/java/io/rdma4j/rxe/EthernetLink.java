package io.rdma4j.rxe;

import io.rdma4j.net.InterfaceAddress;
import java.util.List;

/**
 * An Ethernet link of a device that has addresses of its own: Linux and other stations are its neighbours, and it does itself what IP
 * needs.
 *
 * @param kind what carries the frames
 * @param interfaceName of this machine's Linux
 * @param macAddress of the device, 48 bits; 0 draws one by lot
 * @param mtu that the interface is to get, bytes; 0 leaves it
 * @param addresses of the device, in the order of the GID table
 */
public record EthernetLink(
        Kind kind, String interfaceName, long macAddress, int mtu, List<InterfaceAddress> addresses) {
    /** What carries the frames. */
    public enum Kind {
        /** A TAP interface, at whose other end this machine's Linux is. */
        TAP,
        /** An interface, on whose network the device is a station. */
        PACKET
    }

    /** Copies the list. */
    public EthernetLink {
        addresses = List.copyOf(addresses);
    }
}
