package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.Attribute;
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

/** Memory of a client, mapped here from the files that the client names. Answers to {@code ib_umem_get}. */
final class ServedMemory {
    private ServedMemory() {}

    /**
     * Returns what a command says of its memory.
     *
     * @throws RdmaException EINVAL if it says nothing, or something that is no list of pieces
     */
    static List<MemoryPiece> pieces(Message request) {
        byte[] several = request.getBytes(Attribute.PIECES);
        List<MemoryPiece> pieces = several.length > 0
                ? RecordCodec.decodeList(MemoryPiece.class, several)
                : List.of(new MemoryPiece(
                        request.getText(Attribute.FILE),
                        request.getLong(Attribute.OFFSET),
                        request.getLong(Attribute.SIZE),
                        false));
        if (pieces.isEmpty()) {
            throw new RdmaException(Errno.EINVAL, request.command() + " needs at least one piece of memory");
        }
        return pieces;
    }

    /**
     * Maps pieces.
     *
     * @param arena whose end is that of the mappings
     * @throws RdmaException EFAULT if a file cannot be mapped, or is too short: behind its end there is no memory; EACCES if it is no
     *     regular file of this user
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
