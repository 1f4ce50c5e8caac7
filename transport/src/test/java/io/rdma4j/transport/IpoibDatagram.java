// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.IpoibHeader;
import io.rdma4j.wire.ip.Ipv4;
import io.rdma4j.wire.ip.Tcp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Datagrams of IP over InfiniBand, with wrong checksums, and a plain way to find out whether checksums are right. */
final class IpoibDatagram {
    static final int IP = IpoibHeader.BYTES;
    static final int SEGMENT = IP + Ipv4.BYTES;
    static final int UDP_CHECKSUM = SEGMENT + 6;
    static final int TCP_CHECKSUM = SEGMENT + 16;

    private static final int WRONG = 0xBAD;
    private static final ValueLayout.OfShort WORD = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private IpoibDatagram() {}

    /** UDP in {@code bytes} bytes. */
    static void udp(MemorySegment memory, long at, int bytes) {
        ip(memory, at, bytes, Ipv4.PROTOCOL_UDP);
        put(memory, at + UDP_CHECKSUM, WRONG);
    }

    /** TCP in {@code bytes} bytes. */
    static void tcp(MemorySegment memory, long at, int bytes) {
        ip(memory, at, bytes, Tcp.PROTOCOL);
        put(memory, at + TCP_CHECKSUM, WRONG);
    }

    /** Anything in {@code bytes} bytes, which are numbered behind the header. */
    static void ip(MemorySegment memory, long at, int bytes, int protocol) {
        for (int i = 0; i < bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, at + i, (byte) (i * 7 + bytes));
        }
        IpoibHeader.write(memory, at, Ethernet.TYPE_IPV4);
        Ipv4.write(memory, at + IP, bytes - IP, 0x77, 0, 64, protocol, 0x0A000001, 0xC0A8FE02);
        put(memory, at + IP + Ipv4.CHECKSUM, WRONG);
    }

    static void put(MemorySegment memory, long at, int word) {
        memory.set(WORD, at, (short) word);
    }

    static int get(MemorySegment memory, long at) {
        return memory.get(WORD, at) & 0xFFFF;
    }

    /** True if IP header and segment have right checksums; a word after the other, without short cuts. */
    static boolean isRight(MemorySegment memory, long at) {
        int total = Ipv4.totalLength(memory, at + IP);
        int segment = total - Ipv4.BYTES;
        int pseudo = sum(memory, at + IP + Ipv4.SOURCE, 8) + Ipv4.protocol(memory, at + IP) + segment;
        return folded(sum(memory, at + IP, Ipv4.BYTES)) == 0xFFFF
                && folded(pseudo + sum(memory, at + SEGMENT, segment)) == 0xFFFF;
    }

    private static int sum(MemorySegment memory, long at, int bytes) {
        int sum = 0;
        for (int i = 0; i < bytes; i++) {
            int value = memory.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF;
            sum += (i & 1) == 0 ? value << 8 : value;
        }
        return sum;
    }

    private static int folded(int sum) {
        int once = (sum & 0xFFFF) + (sum >>> 16);
        return (once & 0xFFFF) + (once >>> 16);
    }
}
