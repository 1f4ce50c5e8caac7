// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.local.PrivateDirectory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Maps a file whose path another process has sent. Owner, type and length of the file are checked, because the sender
 * is not trusted.
 */
public final class SharedFile {
    private SharedFile() {}

    /**
     * Maps part of a file for reading and writing. The file is not extended.
     *
     * @param file regular file of this user, not a symbolic link
     * @param offset offset of the part, bytes
     * @param sizeBytes size of the part, at least 1
     * @param arena arena of the mapping
     * @return the mapped part
     * @throws RdmaException EACCES if the file has another type or owner, EFAULT if the part is not within the file
     * @throws IOException if the file cannot be mapped
     */
    public static MemorySegment map(Path file, long offset, long sizeBytes, Arena arena) throws IOException {
        try {
            PrivateDirectory.checkFile(file);
        } catch (AccessDeniedException e) {
            throw new RdmaException(Errno.EACCES, "no memory can be shared through " + e.getMessage(), e);
        }
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            long length = channel.size();
            if (offset < 0 || sizeBytes < 1 || sizeBytes > length || offset > length - sizeBytes) {
                throw new RdmaException(
                        Errno.EFAULT,
                        sizeBytes + " bytes at " + offset + " are not in " + file + ", which has " + length);
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, offset, sizeBytes, arena);
        }
    }
}
