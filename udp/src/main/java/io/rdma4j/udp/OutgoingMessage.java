// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.Msghdr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A {@code struct msghdr} to send: destination, memory segments and, for several datagrams, their size. Allocates
 * nothing after the constructor.
 */
final class OutgoingMessage {
    /** The only item of ancillary data: the size of a datagram, 16 bits. */
    private static final int CONTROL_LENGTH = Msghdr.CMSG_BYTES + Short.BYTES;

    private static final int CONTROL_SPACE = Msghdr.CMSG_BYTES + Long.BYTES;

    private final MemorySegment message;
    private final MemorySegment destination;
    private final MemorySegment control;

    /** @param vector the memory segments */
    OutgoingMessage(IoVector vector) {
        Arena arena = Arena.ofAuto();
        message = arena.allocate(Msghdr.BYTES, Long.BYTES);
        destination = arena.allocate(SocketAddress.MAX_BYTES, Long.BYTES);
        control = arena.allocate(CONTROL_SPACE, Long.BYTES);
        message.set(ValueLayout.JAVA_LONG, Msghdr.NAME, destination.address());
        message.set(ValueLayout.JAVA_LONG, Msghdr.VECTOR, vector.address(0));
        message.set(ValueLayout.JAVA_LONG, Msghdr.CONTROL, control.address());
        control.set(ValueLayout.JAVA_LONG, Msghdr.CMSG_LENGTH, CONTROL_LENGTH);
        control.set(ValueLayout.JAVA_INT, Msghdr.CMSG_LEVEL, NativeUdpSocket.SOL_UDP);
        control.set(ValueLayout.JAVA_INT, Msghdr.CMSG_TYPE, NativeUdpSocket.UDP_SEGMENT);
    }

    /** Returns the structure, the argument of the call. */
    MemorySegment memory() {
        return message;
    }

    /** Sets an IPv4 destination. */
    void toIpv4(int address, int port) {
        SocketAddress.writeIpv4(destination, address, port);
        message.set(ValueLayout.JAVA_INT, Msghdr.NAME_BYTES, SocketAddress.bytes(true));
    }

    /** Sets an IPv6 destination. */
    void toIpv6(long prefix, long interfaceId, int port, int scopeId) {
        SocketAddress.writeIpv6(destination, prefix, interfaceId, port, scopeId);
        message.set(ValueLayout.JAVA_INT, Msghdr.NAME_BYTES, SocketAddress.bytes(false));
    }

    /** Makes the message one datagram of the first {@code pieces} segments. */
    void datagram(int pieces) {
        message.set(ValueLayout.JAVA_LONG, Msghdr.VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, Msghdr.CONTROL_BYTES, 0);
    }

    /**
     * Makes the message several datagrams of {@code bytes} each, from the first {@code pieces} segments. The last one
     * may be shorter.
     */
    void datagrams(int pieces, int bytes) {
        message.set(ValueLayout.JAVA_LONG, Msghdr.VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, Msghdr.CONTROL_BYTES, CONTROL_SPACE);
        control.set(ValueLayout.JAVA_SHORT, Msghdr.CMSG_BYTES, (short) bytes);
    }
}
