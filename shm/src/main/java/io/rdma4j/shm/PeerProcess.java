// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import static io.rdma4j.shm.RingLayout.INT;
import static io.rdma4j.shm.RingLayout.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Reads the memory of the process at the producer's end of a ring, after a challenge has proved that it can. This end
 * writes a random word into the ring. The peer stores the word in its own memory and publishes the address. This end
 * reads the word from there, and again with each payload.
 *
 * <p>The challenge identifies the process, because the process number in the ring comes from the peer itself. Another
 * process with that number, in another namespace or later, does not have the word. After the first failure this end
 * does not try again.
 */
final class PeerProcess {
    private final MemorySegment ring;
    private final ShmCounters counters;
    private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final long challenge;
    private @Nullable ProcessMemory system;
    private int process;
    private long wordAddress;

    /** @param system null: this end never reads the peer's memory */
    PeerProcess(MemorySegment ring, @Nullable ProcessMemory system, ShmCounters counters) {
        this.ring = ring;
        this.system = system;
        this.counters = counters;
        this.challenge = new SecureRandom().nextLong() | 1;
        if (system != null) {
            LONG.setRelease(ring, RingLayout.CHALLENGE, challenge);
        }
    }

    /** Checks whether the peer has answered the challenge, until the answer is known. */
    void probe() {
        if (system != null && wordAddress == 0) {
            wordAddress = (long) LONG.getAcquire(ring, RingLayout.WORD_ADDRESS);
            process = (int) INT.getOpaque(ring, RingLayout.PROCESS);
            if (wordAddress != 0 && read(wordAddress, word, 0, Long.BYTES)) {
                INT.setRelease(ring, RingLayout.READS, 1);
            } else if (wordAddress != 0) {
                giveUp();
            }
        }
    }

    /** Copies bytes from the peer's memory; returns false on failure. */
    boolean read(long address, MemorySegment target, long at, int length) {
        ProcessMemory reader = system;
        word.set(ValueLayout.JAVA_LONG, 0, 0);
        boolean done = reader != null && reader.read(process, address, target, at, length, wordAddress, word);
        return done && word.get(ValueLayout.JAVA_LONG, 0) == challenge;
    }

    /** Stops reading the peer's memory: from now on the peer copies payload into the ring. */
    void giveUp() {
        if (system != null) {
            system = null;
            counters.processesRefused++;
            INT.setRelease(ring, RingLayout.READS, 0);
        }
    }
}
