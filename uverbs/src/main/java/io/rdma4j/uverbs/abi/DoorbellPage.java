package io.rdma4j.uverbs.abi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The doorbells of a session, in memory that client and server both map.
 *
 * <pre>
 *   0  sleepers (32): a bit for each thread of the server that sleeps, and a bit if none ever looks; 0: a thread looks without being woken
 *  64  vain polls (32), counted by the client while it waits
 * 128  summary (64): bit i is set after a bit in word i was
 * 192  64 words (64): bit j of word i is doorbell 64 i + j
 * </pre>
 *
 * <p>The client publishes its work request, then sets the bits, then looks for sleepers. The server says that it sleeps, then looks at the summary once
 * more. Both in the order of the program, so that one of them sees the other. Who takes the bits of the sleepers away wakes them by a command.
 *
 * <p>Whatever the other process writes here, reading it takes bounded time.
 */
public final class DoorbellPage {
    /** Doorbells on a page; several queue pairs share one if there are more. */
    public static final int DOORBELLS = 4096;

    /** Bytes of a page. */
    public static final long BYTES = 192 + DOORBELLS / Byte.SIZE;

    /** Sleepers: no thread looks, each doorbell takes a command. */
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
     * A page in memory that somebody else allocates, all zeros at first.
     *
     * @param memory at least {@link #BYTES}, at a multiple of 64
     */
    public DoorbellPage(MemorySegment memory) {
        this.memory = memory;
    }

    // For the client, any thread

    /**
     * Rings a doorbell; what it is about was published before.
     *
     * @param doorbell 0 to {@link #DOORBELLS} - 1
     */
    public void ring(int doorbell) {
        int word = doorbell >>> LOG2_WORD;
        LONG.getAndBitwiseOr(memory, WORDS + (long) word * Long.BYTES, 1L << doorbell);
        LONG.getAndBitwiseOr(memory, SUMMARY, 1L << word);
    }

    /** {@return true if threads of the server sleep, and it is this caller who wakes them} After {@link #ring}. */
    public boolean takeSleepers() {
        return (int) INT.getVolatile(memory, SLEEPERS) != 0 && (int) INT.getAndSet(memory, SLEEPERS, 0) != 0;
    }

    /** {@return true if no thread of the server looks before a command comes} */
    public boolean isUnattended() {
        return ((int) INT.getVolatile(memory, SLEEPERS) & 1 << UNATTENDED) != 0;
    }

    /** The client has polled in vain for some time. */
    public void countVainPoll() {
        INT.setOpaque(memory, POLLS, (int) INT.getOpaque(memory, POLLS) + 1);
    }

    // For the server

    /** {@return how often the client has polled in vain} */
    public int vainPolls() {
        return (int) INT.getOpaque(memory, POLLS);
    }

    /** {@return true if a doorbell was rung} */
    public boolean isRung() {
        return (long) LONG.getOpaque(memory, SUMMARY) != 0;
    }

    /**
     * {@return the summary, which is 0 from now on} One thread.
     */
    public long takeSummary() {
        return (long) LONG.getAndSet(memory, SUMMARY, 0L);
    }

    /**
     * {@return a word of doorbells, which is 0 from now on} One thread.
     *
     * @param word 0 to 63
     */
    public long takeWord(int word) {
        return (long) LONG.getAndSet(memory, WORDS + (long) word * Long.BYTES, 0L);
    }

    /**
     * A thread of the server is about to sleep.
     *
     * @param sleeper its number, 0 to 31
     * @return true if a doorbell was rung before
     */
    public boolean beginSleep(int sleeper) {
        INT.getAndBitwiseOr(memory, SLEEPERS, 1 << sleeper);
        return (long) LONG.getVolatile(memory, SUMMARY) != 0;
    }

    /**
     * The thread does not sleep any more.
     *
     * @param sleeper its number
     */
    public void endSleep(int sleeper) {
        if (((int) INT.getOpaque(memory, SLEEPERS) & 1 << sleeper) != 0) {
            INT.getAndBitwiseAnd(memory, SLEEPERS, ~(1 << sleeper));
        }
    }
}
