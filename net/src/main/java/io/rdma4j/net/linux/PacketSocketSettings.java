package io.rdma4j.net.linux;

import io.rdma4j.base.Gid;
import java.util.List;

/**
 * What a device over a packet socket is made with.
 *
 * @param interfaceName of the interface that carries it, at most 15 bytes; the device is called the same
 * @param macAddress of the device, 48 bits; 0 draws one by lot. That of the interface is allowed: then both see what is sent to it
 * @param addresses of the device, none of them the system's own; IPv4 mapped into IPv6
 * @param receiveBuffers frames on their way to their consumers; what waits longer, waits in the buffer of the socket
 */
public record PacketSocketSettings(String interfaceName, long macAddress, List<Gid> addresses, int receiveBuffers) {
    /** Frames on their way to a consumer. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 256;

    /** Copies the list. */
    public PacketSocketSettings {
        addresses = List.copyOf(addresses);
    }

    /**
     * {@return settings with a link address by lot}
     *
     * @param interfaceName an interface of Linux
     * @param addresses of the device
     */
    public static PacketSocketSettings of(String interfaceName, Gid... addresses) {
        return new PacketSocketSettings(interfaceName, 0, List.of(addresses), DEFAULT_RECEIVE_BUFFERS);
    }
}
