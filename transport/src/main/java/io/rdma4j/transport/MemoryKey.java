package io.rdma4j.transport;

import java.lang.foreign.MemorySegment;

/**
 * A registered region as the engine sees it: what a key stands for. Immutable.
 *
 * @param key the whole 32-bit key: table index in the upper 24 bits, variant in the lower 8; lkey and rkey are the same
 * @param protectionDomain identity of the PD; compared by reference
 * @param memory the memory itself
 * @param iova virtual address of the first byte, as requests give it
 * @param access bits of {@link io.rdma4j.verbs.AccessFlag}
 */
public record MemoryKey(int key, Object protectionDomain, MemorySegment memory, long iova, int access) {
    /** True if {@code length} bytes at {@code address} lie inside; cannot wrap. */
    boolean contains(long address, long length) {
        long size = memory.byteSize();
        long offset = address - iova;
        return length >= 0 && length <= size && offset >= 0 && offset <= size - length;
    }

    /** False once the application has closed the arena of the memory, which it should not do before it deregisters. */
    boolean isAlive() {
        return memory.scope().isAlive();
    }

    /** Where {@code address} lies in {@link #memory}. */
    long offset(long address) {
        return address - iova;
    }
}
