// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import org.jspecify.annotations.Nullable;

/**
 * Sends the packets that the IP layer itself makes for a device. They are few and short. A packet is lost if no buffer
 * is free, because the protocols repeat their requests.
 */
public final class ControlPackets implements AutoCloseable {
    private static final int COUNT = 64;
    private static final int HEADROOM = 64;
    private static final int BYTES = 192;

    private final NetDevice device;
    private final SkBuffPool pool = SkBuffPool.growing(COUNT, BYTES);
    private long lost;

    /**
     * Creates a pool of buffers for a device.
     *
     * @param device sends the packets
     */
    public ControlPackets(NetDevice device) {
        this.device = device;
    }

    /**
     * {@return a packet that the caller writes; null, with a lost packet counted, if no buffer is free}
     *
     * @param length bytes
     */
    public @Nullable SkBuff allocate(int length) {
        SkBuff skb = pool.allocate();
        if (skb == null) {
            lost++;
            return null;
        }
        skb.reserve(HEADROOM);
        skb.put(length);
        return skb;
    }

    /**
     * Sends a packet that begins with its network header.
     *
     * @param skb handed over
     * @param protocol EtherType
     * @param destination link address
     */
    public void send(SkBuff skb, int protocol, long destination) {
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

    /** {@return number of packets that could not be sent} */
    public long lost() {
        return lost;
    }

    @Override
    public void close() {
        pool.close();
    }
}
