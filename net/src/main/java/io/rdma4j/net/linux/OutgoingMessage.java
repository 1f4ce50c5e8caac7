package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A {@code struct msghdr} to send: where to, the pieces of memory, and, if they are many datagrams, how long each is. Allocates nothing
 * after the constructor.
 */
final class OutgoingMessage {
    /** The one piece of ancillary data: the size of a datagram, 16 bits. */
    private static final int CONTROL_LENGTH = Msghdr.CMSG_BYTES + Short.BYTES;

    private static final int CONTROL_SPACE = Msghdr.CMSG_BYTES + Long.BYTES;

    private final MemorySegment message;
    private final MemorySegment destination;
    private final MemorySegment control;

    /** @param vector the pieces of memory */
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

    /** The structure that the call is given. */
    MemorySegment memory() {
        return message;
    }

    /** Sends to an IPv4 address. */
    void toIpv4(int address, int port) {
        SocketAddress.writeIpv4(destination, address, port);
        message.set(ValueLayout.JAVA_INT, Msghdr.NAME_BYTES, SocketAddress.bytes(true));
    }

    /** Sends to an IPv6 address. */
    void toIpv6(long prefix, long interfaceId, int port, int scopeId) {
        SocketAddress.writeIpv6(destination, prefix, interfaceId, port, scopeId);
        message.set(ValueLayout.JAVA_INT, Msghdr.NAME_BYTES, SocketAddress.bytes(false));
    }

    /** One datagram of the first {@code pieces}. */
    void datagram(int pieces) {
        message.set(ValueLayout.JAVA_LONG, Msghdr.VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, Msghdr.CONTROL_BYTES, 0);
    }

    /** As many datagrams as what the first {@code pieces} hold makes, {@code bytes} each, but the last, which may be shorter. */
    void datagrams(int pieces, int bytes) {
        message.set(ValueLayout.JAVA_LONG, Msghdr.VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, Msghdr.CONTROL_BYTES, CONTROL_SPACE);
        control.set(ValueLayout.JAVA_SHORT, Msghdr.CMSG_BYTES, (short) bytes);
    }
}
