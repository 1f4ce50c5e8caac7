package io.rdma4j.net.shm;

import static io.rdma4j.net.shm.RingLayout.INT;
import static io.rdma4j.net.shm.RingLayout.LONG;

import io.rdma4j.packet.SkBuff;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The memory of this process as the sending end of a ring offers it to the receiving one: see {@link PeerProcess}. */
final class OwnProcess {
    /** Shorter ones are copied into the ring and out of it in less time than the system takes to look up the process and its pages. */
    static final int LEAST_BYTES = RingProducer.MAX_COPIED_BYTES + 1;

    private final MemorySegment ring;

    /** The peer's challenge; lives as long as the ring's end does. */
    private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    private boolean answered;

    OwnProcess(MemorySegment ring) {
        this.ring = ring;
    }

    /** True if the peer reads the payload of a packet out of this process; asks it, if it is long enough. Allocates nothing. */
    boolean lends(SkBuff skb) {
        if (skb.dataLen() < LEAST_BYTES || !isRead()) {
            return false;
        }
        for (int i = 0; i < skb.fragCount(); i++) {
            if (!skb.fragMemory(i).isNative() || !skb.fragMemory(i).scope().isAlive()) {
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
