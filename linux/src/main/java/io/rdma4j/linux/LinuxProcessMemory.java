// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.Libc;
import io.rdma4j.linux.call.NativeAccess;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Reads memory of other processes with {@code process_vm_readv(2)}. For one thread at a time; allocates nothing after
 * the constructor.
 */
public final class LinuxProcessMemory {
    /** Environment variable that disables it, with the value {@code off}. */
    public static final String VARIABLE = "RDMA4J_SHM_PROCESS_READ";

    /** System property with the same values; it overrides the variable. */
    public static final String PROPERTY = "rdma4j.shm.processRead";

    private final IoVector here = new IoVector(2);
    private final IoVector there = new IoVector(2);

    private LinuxProcessMemory() {}

    /** {@return a new instance; null if the system is not Linux, native access is not permitted, or it is disabled} */
    public static @Nullable LinuxProcessMemory find() {
        String word = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        return NativeAccess.isThere() && !"off".equals(word) ? new LinuxProcessMemory() : null;
    }

    /**
     * Copies bytes, and then a word, from the memory of a process. Allocates nothing.
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
    public boolean read(
            int process,
            long address,
            MemorySegment target,
            long at,
            int length,
            long wordAddress,
            MemorySegment word) {
        here.set(0, target, at, length);
        here.set(1, word, 0, Long.BYTES);
        there.set(0, address, length);
        there.set(1, wordAddress, Long.BYTES);
        return Libc.processVmReadv(process, here.memory(), 2, there.memory(), 2, target) == length + Long.BYTES;
    }
}
