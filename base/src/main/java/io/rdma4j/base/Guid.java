// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base;

/** Functions on 64-bit globally unique identifiers (EUI-64) of nodes, ports and system images. */
public final class Guid {
    private Guid() {}

    /**
     * {@return the EUI-64 of a MAC address: bit 0x02 inverted, {@code ff:fe} inserted in the middle}
     *
     * @param mac 48 bits, the first octet on the wire highest
     */
    public static long ofMac(long mac) {
        long high = (mac >>> 24) & 0xFF_FFFFL;
        long low = mac & 0xFF_FFFFL;
        return ((high ^ 0x02_0000L) << 40) | (0xFFFEL << 24) | low;
    }

    /**
     * {@return the text in the format of rdma-core's tools: {@code 5054:00ff:fe77:0001}}
     *
     * @param guid 64 bits, the first byte on the wire highest
     */
    public static String toString(long guid) {
        return String.format(
                "%04x:%04x:%04x:%04x", guid >>> 48, (guid >>> 32) & 0xFFFF, (guid >>> 16) & 0xFFFF, guid & 0xFFFF);
    }
}
