package io.rdma4j.net.shm;

import static io.rdma4j.net.shm.RingLayout.INT;
import static io.rdma4j.net.shm.RingLayout.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the process at the sending end of a ring, as its receiving end gets at it: not at all, until the peer has shown that it can be
 * read. For that this end writes a random word into the ring, the peer puts it into memory of its own and tells where, and it is read from there. The
 * same word is read again with each payload.
 *
 * <p>So it is the peer that is read, though it says itself which process it is: another one, or one with the same number in another namespace, or
 * the next one with that number, does not have the word. What fails once is not tried again.
 */
final class PeerProcess {
    private final MemorySegment ring;
    private final ShmCounters counters;
    private final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    private final long challenge;
    private @Nullable ProcessMemory system;
    private int process;
    private long wordAddress;

    /** @param system null if nothing is to be read */
    PeerProcess(MemorySegment ring, @Nullable ProcessMemory system, ShmCounters counters) {
        this.ring = ring;
        this.system = system;
        this.counters = counters;
        this.challenge = new SecureRandom().nextLong() | 1;
        if (system != null) {
            LONG.setRelease(ring, RingLayout.CHALLENGE, challenge);
        }
    }

    /** Looks whether the peer has answered, unless that is known. */
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

    /** Copies bytes out of it; false if it did not work. */
    boolean read(long address, MemorySegment target, long at, int length) {
        ProcessMemory reader = system;
        word.set(ValueLayout.JAVA_LONG, 0, 0);
        boolean done = reader != null && reader.read(process, address, target, at, length, wordAddress, word);
        return done && word.get(ValueLayout.JAVA_LONG, 0) == challenge;
    }

    /** From now on the peer copies into the ring. */
    void giveUp() {
        if (system != null) {
            system = null;
            counters.processesRefused++;
            INT.setRelease(ring, RingLayout.READS, 0);
        }
    }
}
