// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.uverbs.abi.SharedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Maps a client's memory from the files that the client names. Corresponds to {@code ib_umem_get}. */
final class ServedMemory {
    private ServedMemory() {}

    /**
     * Returns the memory that a command names.
     *
     * @throws RdmaException EINVAL if the command names none, or its list is malformed
     */
    static List<MemoryPiece> pieces(Message request) {
        byte[] several = request.getBytes(CommandAttribute.PIECES);
        List<MemoryPiece> pieces = several.length > 0
                ? RecordCodec.decodeList(MemoryPiece.class, several)
                : List.of(new MemoryPiece(
                        request.getText(CommandAttribute.FILE),
                        request.getLong(CommandAttribute.OFFSET),
                        request.getLong(CommandAttribute.SIZE),
                        false));
        if (pieces.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, request.command() + " needs at least one piece of memory");
        }
        return pieces;
    }

    /**
     * Maps pieces of memory.
     *
     * @param arena its end unmaps them
     * @throws RdmaException EFAULT if a file cannot be mapped or is too short; EACCES if it is not a regular file of
     *     this user
     */
    static List<MemorySegment> map(List<MemoryPiece> pieces, Arena arena) {
        List<MemorySegment> segments = new ArrayList<>();
        for (MemoryPiece piece : pieces) {
            segments.add(map(piece, arena));
        }
        return segments;
    }

    private static MemorySegment map(MemoryPiece piece, Arena arena) {
        try {
            MemorySegment memory = SharedFile.map(Path.of(piece.file()), piece.offset(), piece.sizeBytes(), arena);
            return piece.readOnly() ? memory.asReadOnly() : memory;
        } catch (IOException | InvalidPathException e) {
            throw new RdmaException(Errno.EFAULT, piece.file() + " cannot be mapped", e);
        }
    }
}
