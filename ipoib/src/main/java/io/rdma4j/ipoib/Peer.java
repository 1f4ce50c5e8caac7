// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.ipoib;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import io.rdma4j.verbs.AddressHandle;
import org.jspecify.annotations.Nullable;

/**
 * A station or group with its hardware address, and the path to it ({@code ipoib_neigh}, {@code ipoib_mcast}). {@link
 * #number} and {@link #address} never change; the rest is for the owner of the loop.
 */
final class Peer {
    /** Packets that wait for a path ({@code IPOIB_MAX_PATH_REC_QUEUE}). */
    private static final int MAX_WAITING = 3;

    /** The link address within this host, 48 bits. */
    final long number;

    final HardwareAddress address;

    /** Packets that wait for the path; they begin with their link header. */
    final SkBuffQueue waiting = new SkBuffQueue(MAX_WAITING);

    /** The path; null while it is not known. */
    @Nullable
    AddressHandle path;

    /** True while the subnet administrator is asked. */
    boolean isAsked;

    /** Counts changes of the subnet: an answer of before does not count. */
    int epoch;

    Peer(long number, HardwareAddress address) {
        this.number = number;
        this.address = address;
    }

    /** Takes a packet; the oldest one goes if there is no room. Returns the number of dropped packets. */
    int enqueue(SkBuff skb) {
        int dropped = 0;
        if (waiting.isFull()) {
            SkBuff oldest = waiting.dequeue();
            if (oldest != null) {
                oldest.free();
                dropped = 1;
            }
        }
        waiting.enqueue(skb);
        return dropped;
    }

    /** Forgets the path. The caller retires the handle. */
    @Nullable
    AddressHandle forgetPath() {
        AddressHandle former = path;
        path = null;
        isAsked = false;
        epoch++;
        return former;
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
