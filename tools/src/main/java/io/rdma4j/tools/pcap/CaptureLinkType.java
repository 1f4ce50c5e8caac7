// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.pcap;

import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.VlanTag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Link type of a captured frame, {@code LINKTYPE_*} of the capture formats. */
public enum CaptureLinkType {
    /** {@link Ethernet}. */
    ETHERNET(Ethernet.ETHER_TYPE, Ethernet.BYTES, 1),
    /** The IP header comes first; BSD systems write 12 and 14 for it. */
    RAW_IP(CaptureLinkType.NO_ETHER_TYPE, 0, 101, 12, 14, 228, 229),
    /** Linux "any" device, {@code LINKTYPE_LINUX_SLL}: the ether type ends a header of 16 bytes. */
    LINUX_COOKED(14, 16, 113),
    /** The same, version 2: the ether type begins a header of 20 bytes. */
    LINUX_COOKED_V2(0, 20, 276),
    /** A packet of an InfiniBand link from its local route header to its variant CRC, or a link packet. */
    INFINIBAND(CaptureLinkType.NO_ETHER_TYPE, 0, 247);

    /** {@link #etherType} of a frame that has none: the version of the IP header determines the protocol. */
    public static final int NO_ETHER_TYPE = -1;

    /** {@link #networkOffset} of a frame that ends before its network header. */
    public static final int TRUNCATED = -1;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int etherTypeOffset;
    private final int headerBytes;

    @SuppressWarnings("ImmutableEnumChecker") // private and not modified
    private final int[] codes;

    CaptureLinkType(int etherTypeOffset, int headerBytes, int... codes) {
        this.etherTypeOffset = etherTypeOffset;
        this.headerBytes = headerBytes;
        this.codes = codes;
    }

    /** The link type with this number in a capture file; null if it cannot carry RoCE or is not supported. */
    public static @Nullable CaptureLinkType of(int code) {
        for (CaptureLinkType type : values()) {
            for (int known : type.codes) {
                if (known == code) {
                    return type;
                }
            }
        }
        return null;
    }

    /** Offset of the network header, behind all VLAN tags; {@link #TRUNCATED} if the frame ends before it. */
    public int networkOffset(MemorySegment frame) {
        int offset = headerBytes;
        if (frame.byteSize() < offset) {
            return TRUNCATED;
        }
        int etherType = firstEtherType(frame);
        while (Ethernet.isVlan(etherType)) {
            if (frame.byteSize() < offset + VlanTag.BYTES) {
                return TRUNCATED;
            }
            etherType = VlanTag.etherType(frame, offset);
            offset += VlanTag.BYTES;
        }
        return offset;
    }

    /**
     * Ether type of the header at {@link #networkOffset}, 16 bits, or {@link #NO_ETHER_TYPE}.
     *
     * @param networkOffset of this frame, not {@link #TRUNCATED}
     */
    public int etherType(MemorySegment frame, int networkOffset) {
        return networkOffset > headerBytes
                ? VlanTag.etherType(frame, networkOffset - VlanTag.BYTES)
                : firstEtherType(frame);
    }

    private int firstEtherType(MemorySegment frame) {
        return etherTypeOffset == NO_ETHER_TYPE ? NO_ETHER_TYPE : frame.get(SHORT, etherTypeOffset) & 0xFFFF;
    }
}
