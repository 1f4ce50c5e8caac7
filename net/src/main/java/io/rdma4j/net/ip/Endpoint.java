package io.rdma4j.net.ip;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.ReceiveQueue;
import io.rdma4j.packet.SkBuff;
import org.jspecify.annotations.Nullable;

/**
 * What endpoints of all protocols have ({@code struct sock}): a queue of what has arrived, with a limit and a count of what was
 * lost, an error that is told once, and wishes for what is sent. Belongs to the owner of the stack's loop.
 */
public abstract sealed class Endpoint implements AutoCloseable permits UdpEndpoint, PingEndpoint {
    /** Memory of packets that wait to be received, bytes, if nobody says otherwise ({@code rmem_default}). */
    public static final int DEFAULT_RECEIVE_BYTES = 212_992;

    private final ReceiveQueue arrived;
    private final SendOptions options = new SendOptions();
    private @Nullable Errno error;

    Endpoint(int receiveBytes) {
        this.arrived = new ReceiveQueue(receiveBytes);
    }

    /** {@return wishes for what is sent from here} */
    public SendOptions options() {
        return options;
    }

    /**
     * {@return the oldest packet that has arrived, which becomes the caller's; null if there is none} Its data begin
     * behind the header of the transport; {@link SkBuff#dropcount} says how many had been lost when it came
     * ({@code SO_RXQ_OVFL}).
     */
    public @Nullable SkBuff receive() {
        return arrived.take();
    }

    /** {@return packets that wait to be received} */
    public int waiting() {
        return arrived.length();
    }

    /** {@return packets that were lost because the queue was full ({@code sk_drops})} */
    public int drops() {
        return arrived.drops();
    }

    /** {@return what went wrong since it was asked last, told once ({@code SO_ERROR}); null: nothing} */
    public @Nullable Errno takeError() {
        Errno last = error;
        error = null;
        return last;
    }

    void fail(Errno reason) {
        error = reason;
    }

    /** False if there is no room: the packet stays the caller's. */
    boolean enqueue(SkBuff skb) {
        skb.dropDst();
        return arrived.add(skb);
    }

    int discardAll() {
        return arrived.purge();
    }

    static boolean is(Gid address, long prefix, long interfaceId) {
        return address.prefix() == prefix && address.interfaceId() == interfaceId;
    }

    /** Gives its port back; what waits is lost. Nothing happens if it is closed. */
    @Override
    public abstract void close();
}
