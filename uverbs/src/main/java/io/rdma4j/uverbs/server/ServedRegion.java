// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.MrInitAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;

/**
 * A region of memory that client and server map from files. Work requests and peers use the client's addresses. One
 * thread.
 */
final class ServedRegion implements AutoCloseable {
    private final MemoryRegion region;

    /** Arena of the server's mappings. */
    private Arena arena;

    private ServedRegion(MemoryRegion region, Arena arena) {
        this.region = region;
        this.arena = arena;
    }

    /**
     * Maps and registers memory.
     *
     * @throws io.rdma4j.base.RdmaException EFAULT if a file cannot be mapped; errors of {@link
     *     ProtectionDomain#registerMemory}
     */
    static ServedRegion register(ProtectionDomain pd, List<MemoryPiece> pieces, long iova, Set<AccessFlag> access) {
        Arena arena = Arena.ofShared();
        try {
            List<MemorySegment> memory = ServedMemory.map(pieces, arena);
            return new ServedRegion(pd.registerMemory(new MrInitAttributes(memory, iova, access)), arena);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    MemoryRegion region() {
        return region;
    }

    /** Registers other memory for the same region. If it throws, as {@link #register}, nothing has changed. */
    void reregister(Reregistration change, List<MemoryPiece> pieces, long iova) {
        Arena next = Arena.ofShared();
        try {
            region.reregister(change.withPieces(ServedMemory.map(pieces, next), iova));
        } catch (RuntimeException e) {
            next.close();
            throw e;
        }
        arena.close();
        arena = next;
    }

    @Override
    public void close() {
        region.close();
        arena.close();
    }
}
