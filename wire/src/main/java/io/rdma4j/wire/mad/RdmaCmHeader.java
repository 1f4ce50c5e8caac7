// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.wire.mad;

import io.rdma4j.base.Gid;
import java.lang.foreign.MemorySegment;

/**
 * The header of rdma_cm at the beginning of the private data of REQ and SIDR_REQ (IBA A11), {@code struct cma_hdr}.
 *
 * <p>An IPv4 address is in the last four bytes of its field, after twelve zero bytes. {@link #source} and
 * {@link #destination} return it as the GID {@code ::ffff:a.b.c.d}.
 */
public final class RdmaCmHeader {
    /** Bytes of the header. */
    public static final int BYTES = 36;
    /** Value of {@link #IP_VERSION}. */
    public static final int IPV4 = 4;
    /** Value of {@link #IP_VERSION}. */
    public static final int IPV6 = 6;

    private static final MadLayout.Builder FIELDS = MadLayout.builder("rdma_cm");
    /** 0. */
    public static final MadField VERSION = FIELDS.decimal("cmaVersion", 0, 8);
    /** 4 or 6. */
    public static final MadField IP_VERSION = FIELDS.decimal("ipVersion", 1, 0, 4);
    /** Port of the sender. The service ID contains the port of the receiver. */
    public static final MadField SOURCE_PORT = FIELDS.decimal("sourcePort", 2, 16);
    /** Address of the sender, raw. */
    public static final MadField SOURCE_ADDRESS = FIELDS.gid("sourceAddress", 4);
    /** Address of the receiver, raw. */
    public static final MadField DESTINATION_ADDRESS = FIELDS.gid("destinationAddress", 20);
    /** The header. */
    public static final MadLayout LAYOUT = FIELDS.build(BYTES);

    private static final long MAPPED = 0xFFFF_0000_0000L;
    private static final long IPV4_MASK = 0xFFFF_FFFFL;

    private RdmaCmHeader() {}

    /**
     * Writes the header.
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     * @param sourcePort 16 bits
     * @param source address of the sender
     * @param destination address of the receiver, of the same family
     */
    public static void write(MemorySegment segment, long offset, int sourcePort, Gid source, Gid destination) {
        segment.asSlice(offset, BYTES).fill((byte) 0);
        IP_VERSION.put(segment, offset, source.isIpv4() ? IPV4 : IPV6);
        SOURCE_PORT.put(segment, offset, sourcePort);
        SOURCE_ADDRESS.put(segment, offset, raw(source));
        DESTINATION_ADDRESS.put(segment, offset, raw(destination));
    }

    private static Gid raw(Gid address) {
        return address.isIpv4() ? new Gid(0, address.interfaceId() & IPV4_MASK) : address;
    }

    /**
     * {@return true if version and IP version are known}
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     */
    public static boolean isValid(MemorySegment segment, long offset) {
        int version = IP_VERSION.getInt(segment, offset);
        return !VERSION.isSet(segment, offset) && (version == IPV4 || version == IPV6);
    }

    /**
     * {@return address of the sender}
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     */
    public static Gid source(MemorySegment segment, long offset) {
        return address(segment, offset, SOURCE_ADDRESS);
    }

    /**
     * {@return address of the receiver}
     *
     * @param segment the memory of the datagram
     * @param offset of the header's first byte
     */
    public static Gid destination(MemorySegment segment, long offset) {
        return address(segment, offset, DESTINATION_ADDRESS);
    }

    private static Gid address(MemorySegment segment, long offset, MadField field) {
        Gid address = field.gid(segment, offset);
        return IP_VERSION.getInt(segment, offset) == IPV4
                ? new Gid(0, MAPPED | address.interfaceId() & IPV4_MASK)
                : address;
    }
}
