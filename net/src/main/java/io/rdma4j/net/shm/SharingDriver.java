package io.rdma4j.net.shm;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.NoteReceiver;
import io.rdma4j.net.NoteWay;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A driver over sockets whose packets take shared memory instead wherever that leads to their destination. It decides for each packet, poll and
 * sleep which of the two ways has its turn; the driver itself says what its sockets do.
 */
public abstract class SharingDriver implements NetDeviceOps {
    /** For drivers, which need not say more. */
    protected SharingDriver() {}

    /** {@return the way past the sockets; null if there is none; constant} */
    public abstract @Nullable SharedMemory sharedMemory();

    /**
     * Sends a packet that does not go through shared memory; otherwise as {@link #startXmit}.
     *
     * @param skb the driver's, unless it says BUSY
     * @param device the one that the driver drives
     * @return BUSY if the packet was not touched
     */
    protected abstract NetdevTx send(SkBuff skb, NetDevice device);

    /**
     * {@return the next packet from the sockets; null if there is none}
     *
     * @param device the one that the driver drives
     */
    protected abstract @Nullable SkBuff receive(NetDevice device);

    /**
     * Sleeps until a socket may have something; otherwise as {@link #awaitReadable}.
     *
     * @param timeoutNs how long at most, nanoseconds
     */
    protected abstract void awaitSockets(long timeoutNs);

    @Override
    public final NetdevTx startXmit(SkBuff skb, NetDevice device) {
        SharedMemory shared = sharedMemory();
        NetdevTx past = shared == null ? null : shared.transmit(skb, device);
        return past == null ? send(skb, device) : past;
    }

    @Override
    public final @Nullable SkBuff pollReceive(NetDevice device) {
        SharedMemory shared = sharedMemory();
        if (shared == null) {
            return receive(device);
        }
        SkBuff skb = shared.receive();
        return skb == null && shared.isSocketTurn() ? receive(device) : skb;
    }

    @Override
    public final void awaitReadable(long timeoutNs) {
        SharedMemory shared = sharedMemory();
        if (shared == null) {
            awaitSockets(timeoutNs);
            return;
        }
        if (shared.fallAsleep()) {
            awaitSockets(timeoutNs);
        }
        shared.wakeUp();
    }

    @Override
    public final boolean hasInterrupt() {
        return true;
    }

    /** {@inheritDoc} Where the processes of this machine can read it. */
    @Override
    public final MemorySegment allocateBuffer(long bytes, long alignment, Arena arena) {
        SharedMemory shared = sharedMemory();
        return shared == null ? arena.allocate(bytes, alignment) : shared.allocate(bytes, alignment, arena);
    }

    @Override
    public final int burstBytes(Gid source, Gid destination, int port, NetDevice device) {
        SharedMemory shared = sharedMemory();
        return shared == null ? 0 : shared.burstBytes(source, destination, port, device);
    }

    @Override
    public final void expect(Gid source, Gid destination, int port) {
        SharedMemory shared = sharedMemory();
        if (shared != null) {
            shared.expect(source, destination, port);
        }
    }

    @Override
    public final @Nullable NoteWay noteWay(Gid source, Gid destination, int port) {
        SharedMemory shared = sharedMemory();
        return shared == null ? null : shared.noteWay(source, destination, port);
    }

    @Override
    public final boolean isPrivate(Gid source, Gid destination, int port) {
        SharedMemory shared = sharedMemory();
        return shared != null && shared.isPrivate(source, destination, port);
    }

    @Override
    public final void noteReceiver(@Nullable NoteReceiver receiver) {
        SharedMemory shared = sharedMemory();
        if (shared != null) {
            shared.noteReceiver(receiver);
        }
    }

    @Override
    public final boolean readsInPlace(SkBuff skb, Gid source, Gid destination, int port) {
        SharedMemory shared = sharedMemory();
        return shared != null && shared.readsInPlace(skb, source, destination, port);
    }
}
