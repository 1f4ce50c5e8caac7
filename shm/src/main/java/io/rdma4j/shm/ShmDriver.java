// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A driver over sockets that uses shared memory for all destinations that support it. This class selects the path for
 * each packet, poll and sleep; subclasses implement the socket path.
 */
public abstract class ShmDriver implements NetDeviceOps {
    /** For subclasses. */
    protected ShmDriver() {}

    /** {@return the shared memory transport of the device; null if there is none; constant} */
    public abstract @Nullable ShmTransport sharedMemory();

    /**
     * Sends a packet by the sockets. Otherwise as {@link #startXmit}.
     *
     * @param skb owned by the driver, unless the result is BUSY
     * @param device of the driver
     * @return BUSY if the packet was not touched
     */
    protected abstract NetdevTx send(SkBuff skb, NetDevice device);

    /**
     * {@return the next packet from the sockets; null if there is none}
     *
     * @param device of the driver
     */
    protected abstract @Nullable SkBuff receive(NetDevice device);

    /**
     * Sleeps until a socket may have a packet. Otherwise as {@link #awaitReadable}.
     *
     * @param timeoutNs maximum time, ns
     */
    protected abstract void awaitSockets(long timeoutNs);

    @Override
    public final NetdevTx startXmit(SkBuff skb, NetDevice device) {
        ShmTransport shared = sharedMemory();
        NetdevTx past = shared == null ? null : shared.transmit(skb, device);
        return past == null ? send(skb, device) : past;
    }

    @Override
    public final @Nullable SkBuff pollReceive(NetDevice device) {
        ShmTransport shared = sharedMemory();
        if (shared == null) {
            return receive(device);
        }
        SkBuff skb = shared.receive();
        return skb == null && shared.isSocketTurn() ? receive(device) : skb;
    }

    /** {@inheritDoc} While rings exist, packets of the sockets wait until the loop runs. */
    @Override
    public final boolean isQuiet() {
        ShmTransport shared = sharedMemory();
        return shared != null && shared.isQuiet();
    }

    @Override
    public final void awaitReadable(long timeoutNs) {
        ShmTransport shared = sharedMemory();
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

    /** {@inheritDoc} Uses shared memory, which the processes of this machine can read in place. */
    @Override
    public final MemorySegment allocateBuffer(long bytes, long alignment, Arena arena) {
        ShmTransport shared = sharedMemory();
        return shared == null ? arena.allocate(bytes, alignment) : shared.allocate(bytes, alignment, arena);
    }
}
