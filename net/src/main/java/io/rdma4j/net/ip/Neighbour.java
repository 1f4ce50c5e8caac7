package io.rdma4j.net.ip;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import org.jspecify.annotations.Nullable;

/** Who answers to one address on a link ({@code struct neighbour}). Belongs to its table and to the owner of the loop. */
public final class Neighbour {
    private final Gid address;

    /** Packets that wait for its link address ({@code arp_queue}). */
    final SkBuffQueue waiting;

    /** In the same bucket of the table. */
    @Nullable
    Neighbour next;

    NeighbourState state = NeighbourState.NONE;
    long mac;

    /** When its timer comes up, or {@link Deadline#NEVER}. */
    long deadlineNs = Deadline.NEVER;

    /** When it last answered, when something was last sent to it, and when its link address was last learned. */
    long confirmedNs;

    long usedNs;
    long updatedNs;

    /** Questions since it is asked. */
    int probes;

    /** The table has forgotten it ({@code dead}): whoever remembers it looks it up anew. */
    boolean isGone;

    private final @Nullable Object attachment;

    /** @param attachment what the driver of the link wants to remember of it */
    Neighbour(Gid address, int queueLength, @Nullable Object attachment) {
        this.address = address;
        this.attachment = attachment;
        this.waiting = new SkBuffQueue(queueLength);
    }

    /** {@return the address it answers to} */
    public Gid address() {
        return address;
    }

    /** {@return what the driver of the link remembers of it ({@code neighbour_priv}); null unless it wanted to} */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** {@return what is known of it} */
    public NeighbourState state() {
        return state;
    }

    /** {@return its link address, 48 bits; 0 if it never was known} */
    public long mac() {
        return mac;
    }

    /** {@return packets that wait for its link address} */
    public int waiting() {
        return waiting.length();
    }

    boolean is(long prefix, long interfaceId) {
        return address.prefix() == prefix && address.interfaceId() == interfaceId;
    }

    /** Puts a packet behind those that wait; true if the oldest had to make room. */
    boolean enqueue(SkBuff skb) {
        boolean full = waiting.isFull();
        if (full) {
            dropOldest();
        }
        waiting.enqueue(skb);
        return full;
    }

    private void dropOldest() {
        SkBuff oldest = waiting.dequeue();
        if (oldest != null) {
            oldest.free();
        }
    }

    @Override
    public String toString() {
        return address + " " + state;
    }
}
