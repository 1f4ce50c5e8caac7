// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ip.neighbour;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import org.jspecify.annotations.Nullable;

/**
 * A station on a link with its IP and link address ({@code struct neighbour}). Belongs to its table and to the owner of
 * the loop.
 */
public final class Neighbour {
    private final Gid address;

    /** Packets that wait until the link address is known ({@code arp_queue}). */
    final SkBuffQueue waiting;

    /** Next entry of the same bucket of the table. */
    @Nullable
    Neighbour next;

    NeighbourState state = NeighbourState.NONE;
    long mac;

    /** Time of its timer, or {@link Deadline#NEVER}. */
    long deadlineNs = Deadline.NEVER;

    /** Time of the last packet to it. */
    long usedNs;

    /** Time of the last change of its link address or state by a received packet. */
    long updatedNs;

    /** Number of solicitations since the state was entered. */
    int probes;

    /**
     * True if the table has removed the entry ({@code dead}): a holder of a reference must look the address up again.
     */
    boolean isGone;

    private final @Nullable Object attachment;

    /**
     * @param attachment state of the link's driver for this neighbour, or null
     */
    Neighbour(Gid address, int queueLength, @Nullable Object attachment) {
        this.address = address;
        this.attachment = attachment;
        this.waiting = new SkBuffQueue(queueLength);
    }

    /** {@return its IP address} */
    public Gid address() {
        return address;
    }

    /** {@return state of the link's driver for this neighbour ({@code neighbour_priv}), or null} */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** {@return its state} */
    public NeighbourState state() {
        return state;
    }

    /** {@return its link address, 48 bits; 0 if it was never known} */
    public long mac() {
        return mac;
    }

    boolean is(long prefix, long interfaceId) {
        return address.prefix() == prefix && address.interfaceId() == interfaceId;
    }

    /** Queues a packet; returns true if the queue was full and the oldest packet was dropped. */
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
