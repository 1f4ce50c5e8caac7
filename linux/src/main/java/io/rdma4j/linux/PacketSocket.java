// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.Kernel;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.LinuxError;
import io.rdma4j.linux.call.MessageBatch;
import io.rdma4j.linux.call.SocketBuffers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A socket that sends and receives frames of one interface ({@code packet(7)}). It receives all frames of the
 * interface, for any destination, but none that this machine sends. Non-blocking. For one thread at a time.
 */
final class PacketSocket implements AutoCloseable {
    /** Level and type of the ancillary data of each frame. */
    static final int SOL_PACKET = 263;

    static final int PACKET_AUXDATA = 8;

    private static final short AF_PACKET = 17;
    private static final short ETH_P_ALL = 3;
    private static final int PACKET_ADD_MEMBERSHIP = 1;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final short PACKET_MR_PROMISC = 1;
    private static final int WANTED_BUFFER_BYTES = 4 << 20;

    // struct sockaddr_ll
    private static final int ADDRESS_BYTES = 20;
    private static final int ADDRESS_PROTOCOL = 2;
    private static final int ADDRESS_INDEX = 4;

    // struct packet_mreq
    private static final int MEMBERSHIP_BYTES = 16;
    private static final int MEMBERSHIP_TYPE = 4;

    private static final ValueLayout.OfShort NETWORK_SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final String name;
    private final Libc libc = new Libc();
    private final Arena arena = Arena.ofAuto();
    private final int fd;

    /**
     * Opens the socket of an interface.
     *
     * @throws RdmaException EPERM without CAP_NET_RAW, EOPNOTSUPP if Linux is older than 4.20
     */
    PacketSocket(String name, int interfaceIndex) {
        this.name = name;
        int type = Kernel.SOCK_RAW | Kernel.NONBLOCK | Kernel.CLOEXEC;
        // With protocol 0 the socket receives nothing until it is bound: no frames of other interfaces, and no outgoing
        // ones.
        this.fd = LinuxError.check(
                libc.socket(AF_PACKET, type, 0),
                name,
                "packet socket",
                "needs CAP_NET_RAW: run as root, or give java the capability (setcap cap_net_raw+ep)");
        try {
            set(PACKET_IGNORE_OUTGOING, "PACKET_IGNORE_OUTGOING", number(1));
            set(PACKET_AUXDATA, "PACKET_AUXDATA", number(1));
            set(PACKET_ADD_MEMBERSHIP, "PACKET_ADD_MEMBERSHIP", promiscuous(interfaceIndex));
            SocketBuffers.enlarge(libc, fd, WANTED_BUFFER_BYTES);
            LinuxError.check(
                    libc.bind(fd, address(interfaceIndex)), name, "bind of a packet socket", "is the interface there?");
        } catch (RuntimeException e) {
            libc.close(fd);
            throw e;
        }
    }

    private MemorySegment number(int value) {
        MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
        number.set(ValueLayout.JAVA_INT, 0, value);
        return number;
    }

    private void set(int option, String call, MemorySegment value) {
        LinuxError.check(libc.setsockopt(fd, SOL_PACKET, option, value), name, call, "needs Linux 4.20 or newer");
    }

    private MemorySegment promiscuous(int interfaceIndex) {
        MemorySegment membership = arena.allocate(MEMBERSHIP_BYTES, Integer.BYTES);
        membership.set(ValueLayout.JAVA_INT, 0, interfaceIndex);
        membership.set(ValueLayout.JAVA_SHORT, MEMBERSHIP_TYPE, PACKET_MR_PROMISC);
        return membership;
    }

    private MemorySegment address(int interfaceIndex) {
        MemorySegment address = arena.allocate(ADDRESS_BYTES, Integer.BYTES);
        address.set(ValueLayout.JAVA_SHORT, 0, AF_PACKET);
        address.set(NETWORK_SHORT, ADDRESS_PROTOCOL, ETH_P_ALL);
        address.set(ValueLayout.JAVA_INT, ADDRESS_INDEX, interfaceIndex);
        return address;
    }

    int descriptor() {
        return fd;
    }

    /** Receives up to {@code count} frames; returns their number, or -1. */
    int receive(MessageBatch batch, int count) {
        return Libc.recvmmsg(fd, batch.messages(), count, 0);
    }

    /** Sends a frame; returns a negative error number on failure. */
    long send(IoVector vector) {
        return libc.writev(fd, vector.memory(), 1);
    }

    @Override
    public void close() {
        libc.close(fd);
    }
}
