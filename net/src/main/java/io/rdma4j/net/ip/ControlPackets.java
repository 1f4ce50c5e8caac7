package io.rdma4j.net.ip;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * The packets that the IP layer itself sends over a device: few, short, and lost if there is no room for them, since who needs
 * the answer asks again.
 */
final class ControlPackets implements AutoCloseable {
    private static final int COUNT = 64;
    private static final int HEADROOM = 64;
    private static final int BYTES = 192;

    private final NetDevice device;
    private final SkBuffPool pool = new SkBuffPool(COUNT, BYTES);
    private long lost;

    ControlPackets(NetDevice device) {
        this.device = device;
    }

    /** A packet of {@code length} bytes, to be written by the caller; null, counted, if too many are under way. */
    @Nullable
    SkBuff allocate(int length) {
        SkBuff skb = pool.allocate();
        if (skb == null) {
            lost++;
            return null;
        }
        skb.reserve(HEADROOM);
        skb.put(length);
        return skb;
    }

    /** Sends a packet that begins with its network header. */
    void send(SkBuff skb, int protocol, long destination) {
        device.pushLinkHeader(skb, protocol, destination);
        transmit(skb);
    }

    /** Sends a packet that begins with its link header. */
    void transmit(SkBuff skb) {
        if (device.transmit(skb) == NetdevTx.BUSY) {
            lost++;
            skb.free();
        }
    }

    /** Packets that could not be sent. */
    long lost() {
        return lost;
    }

    @Override
    public void close() {
        pool.close();
    }
}
