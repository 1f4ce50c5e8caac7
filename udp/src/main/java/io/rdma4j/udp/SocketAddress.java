// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.base.Gid;
import io.rdma4j.linux.call.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes and reads a {@code struct sockaddr_in} or {@code struct sockaddr_in6} in memory. IPv4 addresses are mapped
 * into IPv6.
 */
final class SocketAddress {
    /** Size that is sufficient for either, a multiple of 8. */
    static final int MAX_BYTES = 32;

    static final short AF_INET = Kernel.AF_INET;
    static final short AF_INET6 = 10;

    private static final int IPV4_BYTES = 16;
    private static final int IPV6_BYTES = 28;
    private static final int PORT = 2;
    private static final int IPV4 = 4;
    private static final int IPV6_PREFIX = 8;
    private static final int IPV6_INTERFACE_ID = 16;
    private static final int IPV6_SCOPE = 24;
    private static final int LINK_LOCAL_SHIFT = 54;
    private static final long LINK_LOCAL = 0xFE80 >>> 6;

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddress() {}

    /** Returns the size of an address, bytes. */
    static int bytes(boolean ipv4) {
        return ipv4 ? IPV4_BYTES : IPV6_BYTES;
    }

    /** Writes an address; the scope is used only for link-local and multicast addresses. */
    static void write(MemorySegment memory, Gid address, int port, int scopeId) {
        if (address.isIpv4()) {
            writeIpv4(memory, address.ipv4(), port);
        } else {
            writeIpv6(memory, address.prefix(), address.interfaceId(), port, scopeId);
        }
    }

    static void writeIpv4(MemorySegment memory, int address, int port) {
        memory.set(ValueLayout.JAVA_SHORT, 0, AF_INET);
        memory.set(SHORT, PORT, (short) port);
        memory.set(INT, IPV4, address);
        memory.set(LONG, IPV6_PREFIX, 0);
    }

    static void writeIpv6(MemorySegment memory, long prefix, long interfaceId, int port, int scopeId) {
        memory.set(ValueLayout.JAVA_SHORT, 0, AF_INET6);
        memory.set(SHORT, PORT, (short) port);
        memory.set(INT, IPV4, 0);
        memory.set(LONG, IPV6_PREFIX, prefix);
        memory.set(LONG, IPV6_INTERFACE_ID, interfaceId);
        boolean scoped = prefix >>> LINK_LOCAL_SHIFT == LINK_LOCAL || prefix >>> Long.SIZE - Byte.SIZE == 0xFF;
        memory.set(ValueLayout.JAVA_INT, IPV6_SCOPE, scoped ? scopeId : 0);
    }

    static int port(MemorySegment memory, long at) {
        return Short.toUnsignedInt(memory.get(SHORT, at + PORT));
    }

    static boolean isIpv4(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_SHORT, at) == AF_INET;
    }

    /** Returns the upper half of the address. */
    static long prefix(MemorySegment memory, long at) {
        return isIpv4(memory, at) ? 0 : memory.get(LONG, at + IPV6_PREFIX);
    }

    /** Returns the lower half of the address; for IPv4 that of the mapped form. */
    static long interfaceId(MemorySegment memory, long at) {
        return isIpv4(memory, at)
                ? 0xFFFFL << Integer.SIZE | Integer.toUnsignedLong(memory.get(INT, at + IPV4))
                : memory.get(LONG, at + IPV6_INTERFACE_ID);
    }
}
