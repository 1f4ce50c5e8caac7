// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.responder;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.wire.Bth;
import org.jspecify.annotations.Nullable;

/**
 * Request packets of one queue pair that arrived ahead of the expected PSN, in the order of their PSNs. They stay in
 * the buffers in which they arrived, of which a reference is held, so nothing is copied or allocated.
 *
 * <p>Only packets that contain their own bytes are held: a train that never left this JVM points into its sender's
 * memory, which may be deregistered at any time. The limits are packets and bytes for the queue pair, and buffers for
 * the device: without a free buffer the device could not receive the missing packet. All other packets are dropped.
 */
public final class ReorderBuffer {
    /**
     * As many packets as our requester has in flight, except for short messages: of more packets than this the last are
     * dropped.
     */
    public static final int MAX_PACKETS = 128;

    public static final int MAX_BYTES = 256 << 10;

    private final TransportContext context;
    private final SkBuff[] buffers = new SkBuff[MAX_PACKETS];
    private int count;
    private int bytes;

    ReorderBuffer(TransportContext context) {
        this.context = context;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Keeps a packet that is {@code ahead} of the expected PSN.
     *
     * @return false if it cannot be kept and is lost
     */
    boolean keep(PacketContext packet, int ahead) {
        SkBuff skb = packet.skb;
        if (ahead >= buffers.length || skb.isNonlinear()) {
            return false;
        }
        int at = count;
        while (at > 0 && Psn.isAfter(psn(buffers[at - 1]), packet.psn)) {
            at--;
        }
        if (at > 0 && psn(buffers[at - 1]) == packet.psn) {
            return true;
        }
        boolean room = bytes + skb.len() <= MAX_BYTES && context.takeHoldingPlace();
        if (room) {
            System.arraycopy(buffers, at, buffers, at + 1, count - at);
            buffers[at] = skb.get();
            // A sender in this JVM must not wait for it.
            skb.orphan();
            count++;
            bytes += skb.len();
            context.counters().heldRequests++;
        }
        return room;
    }

    /**
     * Removes the packet of {@code expectedPsn}, and frees those before it.
     *
     * @return a reference that the caller has to free; null if the packet is not held
     */
    @Nullable
    SkBuff takeDue(int expectedPsn) {
        while (count > 0 && Psn.isBefore(psn(buffers[0]), expectedPsn)) {
            takeFirst().free();
        }
        return count > 0 && psn(buffers[0]) == expectedPsn ? takeFirst() : null;
    }

    /** Frees all packets. */
    void clear() {
        while (count > 0) {
            takeFirst().free();
        }
    }

    private SkBuff takeFirst() {
        SkBuff first = buffers[0];
        count--;
        System.arraycopy(buffers, 1, buffers, 0, count);
        bytes -= first.len();
        context.giveHoldingPlace();
        return first;
    }

    private static int psn(SkBuff skb) {
        return Bth.psn(skb.memory(), skb.data());
    }
}
