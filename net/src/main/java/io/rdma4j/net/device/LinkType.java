// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.VlanTag;
import java.util.Set;

/** Type of a device's link, which determines the first header of its packets ({@code dev->type}). */
public enum LinkType {
    /**
     * Packets begin with the IP header: a point-to-point link, or one that hides its own header ({@code ARPHRD_NONE}).
     */
    IP(0xFFFE, 0, 0, 0),
    /** Frames begin with an Ethernet header, without preamble and frame check sequence ({@code ARPHRD_ETHER}). */
    ETHERNET(1, Ethernet.BYTES, 6, VlanTag.BYTES);

    private final int code;
    private final int headerBytes;
    private final int addressBytes;
    private final int tagBytes;

    LinkType(int code, int headerBytes, int addressBytes, int tagBytes) {
        this.code = code;
        this.headerBytes = headerBytes;
        this.addressBytes = addressBytes;
        this.tagBytes = tagBytes;
    }

    /** {@return the Linux constant's value, 16 bits} */
    public int code() {
        return code;
    }

    /** {@return length of the link header, bytes ({@code hard_header_len})} */
    public int headerBytes() {
        return headerBytes;
    }

    /** {@return length of a link address, bytes ({@code addr_len})} */
    public int addressBytes() {
        return addressBytes;
    }

    /** {@return the initial flags of a device, unless its driver sets others} */
    public Set<DeviceFlag> flags() {
        return switch (this) {
            case IP -> Set.of(DeviceFlag.NOARP, DeviceFlag.MULTICAST);
            case ETHERNET -> Set.of(DeviceFlag.BROADCAST, DeviceFlag.MULTICAST);
        };
    }

    /**
     * {@return the initial private flags of a device} With {@link PrivateFlag#UNICAST_FLT} the core's filter,
     * {@code LinkAddresses}, receives any number of unicast addresses, if the driver delivers every frame of the link.
     */
    public Set<PrivateFlag> privateFlags() {
        return switch (this) {
            case IP -> Set.of();
            case ETHERNET -> Set.of(PrivateFlag.UNICAST_FLT);
        };
    }

    /** {@return maximum length of the link header and one tag, bytes: a frame may exceed the MTU by this} */
    public int overheadBytes() {
        return headerBytes + tagBytes;
    }
}
