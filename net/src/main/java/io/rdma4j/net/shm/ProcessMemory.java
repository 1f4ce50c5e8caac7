package io.rdma4j.net.shm;

import java.lang.foreign.MemorySegment;

/**
 * How the system copies out of the memory of other processes ({@code process_vm_readv}), which is a matter of native calls. For one thread at a
 * time.
 *
 * <p>Whether it may is the system's affair: processes of one user may as a rule, but not where Yama restricts {@code ptrace} to ancestors
 * ({@code ptrace_scope} 1 and more), nor in many containers. A process could let another one in by {@code prctl(PR_SET_PTRACER)}. We do not: that
 * leave is for one process at a time, the last one named, so that two peers would take it from each other, and from a debugger or crash reporter that the
 * program has named; and it is leave to do everything that a debugger can do, given to whoever knocks. Who wants it says so to the system.
 */
@FunctionalInterface
public interface ProcessMemory {
    /**
     * Copies bytes, and behind them a word, which shows by its value whose memory it was: numbers of processes are used again. Allocates
     * nothing.
     *
     * @param process its number, as this process sees it
     * @param address of the first byte there
     * @param target native memory; it is kept alive meanwhile
     * @param at offset in {@code target}
     * @param length bytes
     * @param wordAddress of eight bytes there
     * @param word where they go; native memory that nobody closes meanwhile
     * @return true if all were copied; otherwise some may have been
     * @throws IllegalStateException if {@code target} was closed
     */
    boolean read(
            int process, long address, MemorySegment target, long at, int length, long wordAddress, MemorySegment word);
}
