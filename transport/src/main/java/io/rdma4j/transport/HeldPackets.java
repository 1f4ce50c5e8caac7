package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import org.jspecify.annotations.Nullable;

/**
 * Request packets of one queue pair that came before their turn, in the order of their PSNs. They stay in the buffers in which
 * they came, of which a reference is held, so nothing is copied or allocated.
 *
 * <p>Only packets that bring their own bytes: a train that never left this JVM points into its sender's memory, which may be
 * taken back at any time. Bounded in packets and bytes for the queue pair, and in buffers for the device, whose receiving
 * would come to a standstill if it had none left for the packet that everybody waits for. All else is dropped as ever.
 */
final class HeldPackets {
    /** As many packets as a requester of ours has under way, if they are not short messages: of more of those the last are dropped. */
    static final int MAX_PACKETS = 128;

    static final int MAX_BYTES = 256 << 10;

    private static final SkBuff[] NOWHERE = {};

    private final TransportContext context;
    private final SkBuff[] buffers;
    private int count;
    private int bytes;

    HeldPackets(TransportContext context) {
        this.context = context;
        this.buffers = context.options().placesOutOfOrder() ? new SkBuff[MAX_PACKETS] : NOWHERE;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Keeps a packet that is {@code ahead} of the PSN expected.
     *
     * @return false if it cannot be kept: it is lost to this side
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
            // A sender in this JVM is not to wait for it.
            skb.orphan();
            count++;
            bytes += skb.len();
            context.counters().heldRequests++;
        }
        return room;
    }

    /**
     * Takes out the packet of {@code expectedPsn}, and frees those before it.
     *
     * @return a reference that the caller has to free; null if the packet is not here
     */
    @Nullable
    SkBuff takeDue(int expectedPsn) {
        while (count > 0 && Psn.isBefore(psn(buffers[0]), expectedPsn)) {
            takeFirst().free();
        }
        return count > 0 && psn(buffers[0]) == expectedPsn ? takeFirst() : null;
    }

    /** Lets go of all. */
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
