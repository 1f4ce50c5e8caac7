package io.rdma4j.net;

import io.rdma4j.packet.SkBuff;

/** Who sees packets of a device that others get ({@code packet_type} of a packet socket). */
@FunctionalInterface
public interface PacketTap {
    /**
     * A received packet, before its handler has it: begins behind the link header, whose place is known, and is not looked
     * at yet, perhaps malformed. Runs on the thread that owns the device's loop. Throws nothing, whatever the bytes.
     *
     * @param skb borrowed for the time of the call: it may be read only, and must be as it was when the call ends
     */
    void see(SkBuff skb);

    /**
     * {@return true if the tap is to see what the device sends as well ({@code dev_queue_xmit_nit}), as the driver gets
     * it: behind the link header, too} What the driver gives back because it is busy is seen once more when it is sent.
     */
    default boolean seesOutgoing() {
        return false;
    }
}
