// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.device;

import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.LinkLayerAddress;
import io.rdma4j.wire.ip.VlanTag;
import java.util.Set;

/** Type of a device's link, which determines the first header of its packets ({@code dev->type}). */
public enum LinkType {
    /**
     * Packets begin with the IP header: a point-to-point link, or one that hides its own header ({@code ARPHRD_NONE}).
     */
    IP(0xFFFE, 0, 0, 0),
    /** Frames begin with an Ethernet header, without preamble and frame check sequence ({@code ARPHRD_ETHER}). */
    ETHERNET(1, Ethernet.BYTES, LinkLayerAddress.ETHERNET_BYTES, VlanTag.BYTES),
    /**
     * IP over InfiniBand, {@code ARPHRD_INFINIBAND}. Packets begin with the encapsulation header of RFC 4391, 4 bytes:
     * the EtherType and zeros. In a packet to send, the number of the destination's link address precedes it, 8 bytes,
     * which does not leave the host, as {@code struct ipoib_pseudo_header}.
     */
    INFINIBAND(32, Long.BYTES + IpoibHeader.BYTES, LinkLayerAddress.INFINIBAND_BYTES, 0);

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
            case ETHERNET, INFINIBAND -> Set.of(DeviceFlag.BROADCAST, DeviceFlag.MULTICAST);
        };
    }

    /**
     * {@return the initial private flags of a device} With {@link PrivateFlag#UNICAST_FLT} the core's filter,
     * {@code LinkAddresses}, receives any number of unicast addresses, if the driver delivers every frame of the link.
     */
    public Set<PrivateFlag> privateFlags() {
        return switch (this) {
            case IP, INFINIBAND -> Set.of();
            case ETHERNET -> Set.of(PrivateFlag.UNICAST_FLT);
        };
    }

    /** {@return true if stations have link addresses, which ARP and neighbour discovery resolve} */
    public boolean hasAddresses() {
        return addressBytes > 0;
    }

    /** {@return maximum length of the link header and one tag, bytes: a frame may exceed the MTU by this} */
    public int overheadBytes() {
        return headerBytes + tagBytes;
    }
}
