package io.rdma4j.uverbs.client;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Memory of this process in commands: the server maps the same parts of the same files. */
final class ClientMemory {
    private ClientMemory() {}

    /**
     * Puts pieces of memory into a command.
     *
     * @throws io.rdma4j.base.RdmaException EOPNOTSUPP if a piece is of this process alone
     */
    static Message put(Message command, List<MemorySegment> pieces) {
        List<MemoryPiece> parts = pieces.stream().map(ClientMemory::piece).toList();
        return command.putBytes(Attribute.PIECES, RecordCodec.encodeList(parts));
    }

    /** The same for a region; a server of version 2 knows one piece that may be written, and no list. */
    static Message putRegion(Message command, List<MemorySegment> pieces) {
        if (pieces.size() != 1 || pieces.getFirst().isReadOnly()) {
            return put(command, pieces);
        }
        MemoryPiece part = piece(pieces.getFirst());
        return command.putText(Attribute.FILE, part.file())
                .putLong(Attribute.OFFSET, part.offset())
                .putLong(Attribute.SIZE, part.sizeBytes());
    }

    private static MemoryPiece piece(MemorySegment memory) {
        SharedMemory.FilePart part = SharedMemory.fileOf(memory);
        return new MemoryPiece(part.file(), part.offset(), memory.byteSize(), memory.isReadOnly());
    }
}
