// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.base.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Maps files whose memory is allocated before the mapping. A sparse file has no memory until a page is touched; if none
 * is available then, the system sends SIGBUS. This class writes zeros first, so that a lack of memory is an exception
 * of the call.
 */
public final class BackedFile {
    private static final int CHUNK_BYTES = 1 << 18;
    private static final long LARGE_BYTES = 1 << 22;

    private BackedFile() {}

    /**
     * Writes zeros into a part of a file and maps that part for reading and writing.
     *
     * @param path of the file
     * @param file open for reading and writing; may be shorter, the first write extends it
     * @param offset a multiple of the page size
     * @param bytes at least 1
     * @param arena of the mapping
     * @return the mapped part
     * @throws IOException if there is not enough space; the file may have grown then
     */
    public static MemorySegment map(Path path, FileChannel file, long offset, long bytes, Arena arena)
            throws IOException {
        // A request that cannot succeed must not consume the memory of other processes first.
        if (bytes > LARGE_BYTES && bytes > Files.getFileStore(path).getUsableSpace()) {
            throw new IOException(path + ": no room for " + bytes + " bytes");
        }
        // Extend the file first, so that a process that maps it from now on maps all of it.
        writeZeros(file, offset + bytes - 1, 1);
        writeZeros(file, offset, bytes);
        return file.map(FileChannel.MapMode.READ_WRITE, offset, bytes, arena);
    }

    private static void writeZeros(FileChannel file, long offset, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(bytes, CHUNK_BYTES));
        for (long done = 0; done < bytes; ) {
            zeros.clear().limit((int) Math.min(bytes - done, zeros.capacity()));
            done += file.write(zeros, offset + done);
        }
    }
}
