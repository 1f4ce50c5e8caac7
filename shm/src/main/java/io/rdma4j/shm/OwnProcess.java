// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static io.rdma4j.shm.RingLayout.INT;
import static io.rdma4j.shm.RingLayout.LONG;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Lets the consumer of a ring read the memory of this process: the producer's side of {@link PeerProcess}. */
final class OwnProcess {
    /**
     * Minimum payload of a reference, bytes. Two copies of a shorter payload take less time than the kernel's lookup of
     * the process and its pages.
     */
    static final int LEAST_BYTES = RingProducer.MAX_COPIED_BYTES + 1;

    private final MemorySegment ring;

    /** Holds the peer's challenge while this object is reachable. */
    private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    private boolean answered;

    OwnProcess(MemorySegment ring) {
        this.ring = ring;
    }

    /**
     * Returns true if the peer reads the payload of a packet from this process. Answers a pending challenge of the peer
     * if the payload is long enough. Allocates nothing.
     */
    boolean refersTo(SkBuff skb) {
        if (skb.dataLen() < LEAST_BYTES || !isRead()) {
            return false;
        }
        for (int i = 0; i < skb.shinfo().fragCount(); i++) {
            if (!skb.shinfo().fragMemory(i).isNative()
                    || !skb.shinfo().fragMemory(i).scope().isAlive()) {
                return false;
            }
        }
        return true;
    }

    private boolean isRead() {
        if ((int) INT.getAcquire(ring, RingLayout.READS) != 0) {
            return true;
        }
        long challenge = answered ? 0 : (long) LONG.getAcquire(ring, RingLayout.CHALLENGE);
        if (challenge != 0) {
            answered = true;
            word.set(ValueLayout.JAVA_LONG, 0, challenge);
            INT.setOpaque(
                    ring, RingLayout.PROCESS, (int) ProcessHandle.current().pid());
            LONG.setRelease(ring, RingLayout.WORD_ADDRESS, word.address());
        }
        return false;
    }
}
