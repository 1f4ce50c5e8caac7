package io.rdma4j.net.driver;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.shm.SharedMemory;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A driver that carries UDP-in-IP packets over UDP sockets of the operating system; there are a portable one and a fast one for Linux. */
public interface UdpDriver extends NetDeviceOps {
    /** {@return the interface over its sockets} */
    NetDevice netDevice();

    /** {@return the way past the sockets; null if there is none} */
    @Nullable
    SharedMemory sharedMemory();

    /** {@inheritDoc} Where the processes of this machine can read it. */
    @Override
    default MemorySegment allocateBuffer(long bytes, long alignment, Arena arena) {
        SharedMemory shared = sharedMemory();
        return shared == null ? arena.allocate(bytes, alignment) : shared.allocate(bytes, alignment, arena);
    }

    @Override
    default int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
        SharedMemory shared = sharedMemory();
        return shared == null ? 0 : shared.burstBytes(source, destination, port, device);
    }

    @Override
    default boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
        SharedMemory shared = sharedMemory();
        return shared != null && shared.readsInPlace(skb, source, destination, port);
    }

    /** {@return how many sockets there are: one an address, one a group} */
    int sockets();

    /** {@return bytes that the system granted for each receive buffer} */
    int receiveBufferBytes();

    /** {@return bytes that the system granted for each send buffer} */
    int sendBufferBytes();
}
