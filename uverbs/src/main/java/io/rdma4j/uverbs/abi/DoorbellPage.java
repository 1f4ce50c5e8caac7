// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The doorbells of a session, in memory that client and server both map.
 *
 * <pre>
 *   0  sleepers (32): bit i: thread i of the server sleeps; bit 31: no thread polls
 *                     0: a thread of the server polls the page
 *  64  failed polls (32), counted by the client while it waits
 * 128  summary (64): bit i is set after a bit in word i was set
 * 192  64 words (64): bit j of word i is doorbell 64 i + j
 * </pre>
 *
 * <p>The client publishes its work request, then sets the doorbell, then reads the sleepers. The server sets its
 * sleeper bit, then reads the summary once more. Both use this order, so at least one of them sees the other's write.
 * The client thread that clears the sleeper bits sends a command that wakes the server.
 *
 * <p>The server reads the page in bounded time, whatever the client writes.
 */
public final class DoorbellPage {
    /** Number of doorbells on a page; if there are more queue pairs, several share one. */
    public static final int DOORBELLS = 4096;

    /** Size of a page, bytes. */
    public static final long BYTES = 192 + DOORBELLS / Byte.SIZE;

    /** Number of the sleeper bit that is set if no thread polls, so that each doorbell needs a command. */
    public static final int UNATTENDED = 31;

    private static final long SLEEPERS = 0;
    private static final long POLLS = 64;
    private static final long SUMMARY = 128;
    private static final long WORDS = 192;
    private static final int LOG2_WORD = 6;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;

    /**
     * Uses memory that the caller has allocated and filled with zeros.
     *
     * @param memory at least {@link #BYTES} bytes, aligned to 64
     */
    public DoorbellPage(MemorySegment memory) {
        this.memory = memory;
    }

    // Client, any thread

    /**
     * Sets a doorbell; the caller has published its work before.
     *
     * @param doorbell 0 to {@link #DOORBELLS} - 1
     */
    public void ring(int doorbell) {
        int word = doorbell >>> LOG2_WORD;
        LONG.getAndBitwiseOr(memory, WORDS + (long) word * Long.BYTES, 1L << doorbell);
        LONG.getAndBitwiseOr(memory, SUMMARY, 1L << word);
    }

    /** {@return true if a sleeper bit was set, so that this caller must wake the server} Called after {@link #ring}. */
    public boolean takeSleepers() {
        return (int) INT.getVolatile(memory, SLEEPERS) != 0 && (int) INT.getAndSet(memory, SLEEPERS, 0) != 0;
    }

    /** {@return true if no thread of the server polls the page without a command} */
    public boolean isUnattended() {
        return ((int) INT.getVolatile(memory, SLEEPERS) & 1 << UNATTENDED) != 0;
    }

    /** Counts a wait in which the client polled without result. */
    public void countVainPoll() {
        INT.setOpaque(memory, POLLS, (int) INT.getOpaque(memory, POLLS) + 1);
    }

    // Server

    /** {@return number of waits in which the client polled without result, modulo 2^32} */
    public int vainPolls() {
        return (int) INT.getOpaque(memory, POLLS);
    }

    /** {@return true if a doorbell is set} */
    public boolean isRung() {
        return (long) LONG.getOpaque(memory, SUMMARY) != 0;
    }

    /** {@return the summary, which is reset to 0} One thread. */
    public long takeSummary() {
        return (long) LONG.getAndSet(memory, SUMMARY, 0L);
    }

    /**
     * {@return a word of doorbells, which is reset to 0} One thread.
     *
     * @param word 0 to 63
     */
    public long takeWord(int word) {
        return (long) LONG.getAndSet(memory, WORDS + (long) word * Long.BYTES, 0L);
    }

    /**
     * Announces that a thread of the server is about to sleep.
     *
     * @param sleeper number of the thread, 0 to 31
     * @return true if a doorbell is already set
     */
    public boolean beginSleep(int sleeper) {
        INT.getAndBitwiseOr(memory, SLEEPERS, 1 << sleeper);
        return (long) LONG.getVolatile(memory, SUMMARY) != 0;
    }

    /**
     * Announces that the thread does not sleep any more.
     *
     * @param sleeper number of the thread, 0 to 31
     */
    public void endSleep(int sleeper) {
        if (((int) INT.getOpaque(memory, SLEEPERS) & 1 << sleeper) != 0) {
            INT.getAndBitwiseAnd(memory, SLEEPERS, ~(1 << sleeper));
        }
    }
}
