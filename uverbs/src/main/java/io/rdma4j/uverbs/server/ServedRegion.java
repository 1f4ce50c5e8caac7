package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MrInitAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A region of memory that the client maps from a file, and this process as well. Answers to {@code ib_umem_get}. Work requests and peers
 * know it by the client's addresses.
 *
 * @param arena of the mapping here
 */
record ServedRegion(MemoryRegion region, Arena arena) implements AutoCloseable {
    /** @throws RdmaException EFAULT if the file cannot be mapped so far; what {@link ProtectionDomain#registerMemory} refuses */
    static ServedRegion register(
            ProtectionDomain pd, Path file, long offset, long sizeBytes, long iova, Set<AccessFlag> access) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = map(file, offset, sizeBytes, arena);
            MrInitAttributes attributes = MrInitAttributes.of(memory, access).withIova(iova);
            return new ServedRegion(pd.registerMemory(attributes), arena);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Behind the end of the file there is no memory, whatever is mapped. */
    private static MemorySegment map(Path file, long offset, long sizeBytes, Arena arena) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (offset < 0 || sizeBytes < 1 || sizeBytes > channel.size() || offset > channel.size() - sizeBytes) {
                throw new RdmaException(
                        Errno.EFAULT,
                        sizeBytes + " bytes at " + offset + " are not in " + file + ", which has " + channel.size());
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, offset, sizeBytes, arena);
        } catch (IOException e) {
            throw new RdmaException(Errno.EFAULT, file + " cannot be mapped", e);
        }
    }

    @Override
    public void close() {
        region.close();
        arena.close();
    }
}
