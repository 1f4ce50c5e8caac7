// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.PacketMarks;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SocketReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Common part of the endpoints of all protocols ({@code struct sock}): a bounded queue of received packets with a drop
 * counter, a pending error, and send options. Belongs to the owner of the stack's loop.
 */
public abstract sealed class IpEndpoint implements AutoCloseable permits UdpEndpoint, PingEndpoint {
    /** Default memory of packets that wait to be received, bytes ({@code rmem_default}). */
    public static final int DEFAULT_RECEIVE_BYTES = 212_992;

    private final SocketReceiveQueue arrived;
    private final SendOptions options = new SendOptions();
    private @Nullable Errno error;

    IpEndpoint(int receiveBytes) {
        this.arrived = new SocketReceiveQueue(receiveBytes);
    }

    /** {@return the options of packets that are sent from here; changes take effect with the next packet} */
    public SendOptions options() {
        return options;
    }

    /**
     * {@return the oldest received packet, which then belongs to the caller; null if there is none} Its data begin
     * behind the transport header. {@link PacketMarks#dropcount} is the number of packets that were lost before it
     * arrived ({@code SO_RXQ_OVFL}).
     */
    public @Nullable SkBuff receive() {
        return arrived.take();
    }

    /** {@return number of packets that wait to be received} */
    public int waiting() {
        return arrived.length();
    }

    /** {@return number of packets that were dropped because the queue was full ({@code sk_drops})} */
    public int drops() {
        return arrived.drops();
    }

    /** {@return the last error since the previous call, null if there was none ({@code SO_ERROR})} Clears the error. */
    public @Nullable Errno takeError() {
        Errno last = error;
        error = null;
        return last;
    }

    void fail(Errno reason) {
        error = reason;
    }

    /** Queues a received packet. Returns false if there is no room: the packet stays the caller's. */
    boolean enqueue(SkBuff skb) {
        skb.meta().dropDst();
        return arrived.add(skb);
    }

    int discardAll() {
        return arrived.purge();
    }

    static boolean is(Gid address, long prefix, long interfaceId) {
        return address.prefix() == prefix && address.interfaceId() == interfaceId;
    }

    /** Releases the port or identifier and drops the packets that wait. Does nothing if the endpoint is closed. */
    @Override
    public abstract void close();
}
