package io.rdma4j.net;

import io.rdma4j.wire.Ethernet;
import io.rdma4j.wire.VlanTag;
import java.util.Set;

/** What the packets of a device begin with ({@code dev->type}). */
public enum LinkType {
    /** Their IP header: the link is point to point, or hides what it adds ({@code ARPHRD_NONE}). */
    IP(0xFFFE, 0, 0, 0),
    /** An Ethernet header, without preamble and frame check sequence ({@code ARPHRD_ETHER}). */
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

    /** {@return Linux's number, 16 bits} */
    public int code() {
        return code;
    }

    /** {@return bytes of the link header ({@code hard_header_len})} */
    public int headerBytes() {
        return headerBytes;
    }

    /** {@return bytes of an address of the link ({@code addr_len})} */
    public int addressBytes() {
        return addressBytes;
    }

    /** How its packets usually get their header. */
    HeaderOps header() {
        return switch (this) {
            case IP -> HeaderOps.NONE;
            case ETHERNET -> EthernetHeader.OPS;
        };
    }

    /** {@return the flags that a device starts with unless its driver knows better} */
    public Set<DeviceFlag> flags() {
        return switch (this) {
            case IP -> Set.of(DeviceFlag.NOARP, DeviceFlag.MULTICAST);
            case ETHERNET -> Set.of(DeviceFlag.BROADCAST, DeviceFlag.MULTICAST);
        };
    }

    /**
     * {@return what its drivers usually are} The core's own filter, {@link LinkAddresses}, receives for any number of
     * stations, if the driver hands up all that the link carries.
     */
    public Set<PrivateFlag> privateFlags() {
        return switch (this) {
            case IP -> Set.of();
            case ETHERNET -> Set.of(PrivateFlag.UNICAST_FLT);
        };
    }

    /** {@return most bytes that link header and one tag behind it take: what a packet may be longer than the MTU} */
    public int overheadBytes() {
        return headerBytes + tagBytes;
    }
}
