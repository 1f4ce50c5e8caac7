package io.rdma4j.net.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A {@code struct msghdr} to send: where to, the pieces of memory, and, if they are many datagrams, how long each is. Allocates nothing
 * after the constructor.
 */
final class OutgoingMessage {
    // struct msghdr
    private static final int BYTES = 56;
    private static final int NAME = 0;
    private static final int NAME_BYTES = 8;
    private static final int VECTOR = 16;
    private static final int VECTOR_LENGTH = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_BYTES = 40;

    // A struct cmsghdr with a 16-bit number behind it
    private static final int CMSG_SPACE = 24;
    private static final int CMSG_LENGTH = 18;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_VALUE = 16;

    private final MemorySegment message;
    private final MemorySegment destination;
    private final MemorySegment control;

    /** @param vector the pieces of memory */
    OutgoingMessage(IoVector vector) {
        Arena arena = Arena.ofAuto();
        message = arena.allocate(BYTES, Long.BYTES);
        destination = arena.allocate(SocketAddress.MAX_BYTES, Long.BYTES);
        control = arena.allocate(CMSG_SPACE, Long.BYTES);
        message.set(ValueLayout.JAVA_LONG, NAME, destination.address());
        message.set(ValueLayout.JAVA_LONG, VECTOR, vector.address(0));
        message.set(ValueLayout.JAVA_LONG, CONTROL, control.address());
        control.set(ValueLayout.JAVA_LONG, 0, CMSG_LENGTH);
        control.set(ValueLayout.JAVA_INT, CMSG_LEVEL, NativeUdpSocket.SOL_UDP);
        control.set(ValueLayout.JAVA_INT, CMSG_TYPE, NativeUdpSocket.UDP_SEGMENT);
    }

    /** For the call. */
    MemorySegment memory() {
        return message;
    }

    /** Sends to an IPv4 address. */
    void toIpv4(int address, int port) {
        SocketAddress.writeIpv4(destination, address, port);
        message.set(ValueLayout.JAVA_INT, NAME_BYTES, SocketAddress.bytes(true));
    }

    /** Sends to an IPv6 address. */
    void toIpv6(long prefix, long interfaceId, int port, int scopeId) {
        SocketAddress.writeIpv6(destination, prefix, interfaceId, port, scopeId);
        message.set(ValueLayout.JAVA_INT, NAME_BYTES, SocketAddress.bytes(false));
    }

    /** One datagram of the first {@code pieces}. */
    void datagram(int pieces) {
        message.set(ValueLayout.JAVA_LONG, VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, CONTROL_BYTES, 0);
    }

    /** As many datagrams as what the first {@code pieces} hold makes, {@code bytes} each, but the last, which may be shorter. */
    void datagrams(int pieces, int bytes) {
        message.set(ValueLayout.JAVA_LONG, VECTOR_LENGTH, pieces);
        message.set(ValueLayout.JAVA_LONG, CONTROL_BYTES, CMSG_SPACE);
        control.set(ValueLayout.JAVA_SHORT, CMSG_VALUE, (short) bytes);
    }
}
