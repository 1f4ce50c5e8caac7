// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Puts memory of this process into commands, as parts of files that the server maps too. */
final class ClientMemory {
    private ClientMemory() {}

    /**
     * Puts memory into a command as a list.
     *
     * @throws io.rdma4j.base.RdmaException EOPNOTSUPP if a piece is not a writable mapping of a file
     */
    static Message put(Message command, List<MemorySegment> pieces) {
        List<MemoryPiece> parts = pieces.stream().map(ClientMemory::piece).toList();
        return command.putBytes(CommandAttribute.PIECES, RecordCodec.encodeList(parts));
    }

    /**
     * Puts the memory of a region into a command. One writable piece is sent without a list, because a server of
     * version 2 does not support lists.
     */
    static Message putRegion(Message command, List<MemorySegment> pieces) {
        if (pieces.size() != 1 || pieces.getFirst().isReadOnly()) {
            return put(command, pieces);
        }
        MemoryPiece part = piece(pieces.getFirst());
        return command.putText(CommandAttribute.FILE, part.file())
                .putLong(CommandAttribute.OFFSET, part.offset())
                .putLong(CommandAttribute.SIZE, part.sizeBytes());
    }

    private static MemoryPiece piece(MemorySegment memory) {
        ClientFiles.FilePart part = ClientFiles.fileOf(memory);
        return new MemoryPiece(part.file(), part.offset(), memory.byteSize(), memory.isReadOnly());
    }
}
