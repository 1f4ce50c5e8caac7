package io.rdma4j.base;

/** A 64-bit globally unique identifier (EUI-64): of a node, a port, a system image. */
public final class Guid {
    private Guid() {}

    /**
     * {@return the EUI-64 of a MAC address (48 bits in the low bits of {@code mac}): bit 0x02 flipped, {@code ff:fe} in
     * the middle}
     *
     * @param mac 48 bits, the first octet of the wire on top
     */
    public static long ofMac(long mac) {
        long high = (mac >>> 24) & 0xFF_FFFFL;
        long low = mac & 0xFF_FFFFL;
        return ((high ^ 0x02_0000L) << 40) | (0xFFFEL << 24) | low;
    }

    /**
     * {@return it as tools print it: {@code 5054:00ff:fe77:0001}}
     *
     * @param guid 64 bits, the first byte of the wire on top
     */
    public static String toString(long guid) {
        return String.format(
                "%04x:%04x:%04x:%04x", guid >>> 48, (guid >>> 32) & 0xFFFF, (guid >>> 16) & 0xFFFF, guid & 0xFFFF);
    }
}
