package io.rdma4j.net.linux;

import io.rdma4j.base.Gid;
import java.util.List;

/**
 * What a TAP device is made with.
 *
 * @param interfaceName of the kernel's end, at most 15 bytes; the device is called the same
 * @param macAddress of our end, 48 bits; 0 draws one by lot
 * @param addresses of our end, IPv4 mapped into IPv6
 * @param mtu that both ends get, bytes; 0 for the one that the kernel's end has
 * @param receiveBuffers frames on their way to their consumers; what waits longer, waits in the kernel, 500 at most ({@code txqueuelen})
 */
public record TapSettings(String interfaceName, long macAddress, List<Gid> addresses, int mtu, int receiveBuffers) {
    /** Frames on their way to a consumer. */
    public static final int DEFAULT_RECEIVE_BUFFERS = 256;

    /** Copies the list. */
    public TapSettings {
        addresses = List.copyOf(addresses);
    }

    /**
     * {@return settings with a link address by lot, and the kernel's MTU}
     *
     * @param interfaceName an interface of Linux
     * @param addresses of the device
     */
    public static TapSettings of(String interfaceName, Gid... addresses) {
        return new TapSettings(interfaceName, 0, List.of(addresses), 0, DEFAULT_RECEIVE_BUFFERS);
    }
}
