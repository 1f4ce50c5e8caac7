package io.rdma4j.transport;

import io.rdma4j.base.Psn;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Bth;
import org.jspecify.annotations.Nullable;

/**
 * Request packets and trains of one queue pair that came before their turn, in the order of their PSNs. They stay in the
 * buffers in which they came, of which a reference is held, so nothing is copied or allocated.
 *
 * <p>Bounded in packets and bytes for the queue pair, and in buffers for the device, whose receiving would come to a
 * standstill if it had none left for the packet that everybody waits for. Beyond that, packets are dropped as ever.
 */
final class HeldPackets {
    /** What a requester of ours has under way at most, and a little more. */
    static final int MAX_PACKETS = 128;

    static final int MAX_BYTES = 256 << 10;

    private static final SkBuff[] NOWHERE = {};

    private final TransportContext context;
    private final SkBuff[] buffers;
    private int count;
    private int packets;
    private int bytes;

    HeldPackets(TransportContext context) {
        this.context = context;
        this.buffers = context.options().placesOutOfOrder() ? new SkBuff[MAX_PACKETS] : NOWHERE;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Keeps a packet or train that is {@code ahead} of the PSN expected.
     *
     * @return false if there is no room for it: it is lost to this side
     */
    boolean keep(PacketContext packet, int ahead) {
        if (ahead + packet.packets > buffers.length) {
            return false;
        }
        int at = count;
        while (at > 0 && Psn.isAfter(psn(buffers[at - 1]), packet.psn)) {
            at--;
        }
        if (at > 0 && !Psn.isAfter(packet.lastPsn(), lastPsn(buffers[at - 1]))) {
            return true;
        }
        boolean room = packets + packet.packets <= buffers.length
                && bytes + packet.skb.len() <= MAX_BYTES
                && context.takeHoldingPlace();
        if (room) {
            System.arraycopy(buffers, at, buffers, at + 1, count - at);
            buffers[at] = packet.skb.get();
            count++;
            packets += packet.packets;
            bytes += packet.skb.len();
            context.counters().heldRequests += packet.packets;
        }
        return room;
    }

    /**
     * Takes out the next buffer that brings {@code expectedPsn}, and frees those that bring nothing new.
     *
     * @return a reference that the caller has to free; null if the packet expected is not here
     */
    @Nullable
    SkBuff takeDue(int expectedPsn) {
        while (count > 0 && !Psn.isAfter(psn(buffers[0]), expectedPsn)) {
            SkBuff first = takeFirst();
            if (!Psn.isBefore(lastPsn(first), expectedPsn)) {
                return first;
            }
            first.free();
        }
        return null;
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
        packets -= packets(first);
        bytes -= first.len();
        context.giveHoldingPlace();
        return first;
    }

    private static int psn(SkBuff skb) {
        return Bth.psn(skb.memory(), skb.data());
    }

    private static int lastPsn(SkBuff skb) {
        return Psn.add(psn(skb), packets(skb) - 1);
    }

    private static int packets(SkBuff skb) {
        return skb.isGso() ? skb.gsoSegs() : 1;
    }
}
