// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.shm;

import java.lang.foreign.MemorySegment;

/**
 * Copies from the memory of other processes ({@code process_vm_readv}); implemented with native calls. For one thread
 * at a time.
 *
 * <p>The kernel decides on access. Processes of one user usually may, but not if Yama restricts {@code ptrace} to
 * ancestors ({@code ptrace_scope} 1 and more), and not in many containers. A process can permit another one with {@code
 * prctl(PR_SET_PTRACER)}. This library does not call it, for two reasons. The permission is for one process at a time,
 * the one set last: two peers would take it from each other, and from a debugger or crash reporter that the application
 * has set. It also permits everything that a debugger can do, to any peer that connects. Users who accept this
 * configure it in the system.
 */
@FunctionalInterface
public interface ProcessMemory {
    /**
     * Copies bytes, and then a word whose value proves which process was read, because the system reuses process
     * numbers. Allocates nothing.
     *
     * @param process its number, as this process sees it
     * @param address of the first byte in that process
     * @param target native memory; it is kept alive during the call
     * @param at offset in {@code target}
     * @param length bytes
     * @param wordAddress address of eight bytes in that process
     * @param word receives them; native memory that stays open during the call
     * @return true if all bytes were copied; otherwise some may have been
     * @throws IllegalStateException if {@code target} was closed
     */
    boolean read(
            int process, long address, MemorySegment target, long at, int length, long wordAddress, MemorySegment word);
}
