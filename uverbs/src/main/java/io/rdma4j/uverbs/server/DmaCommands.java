// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.MemoryPiece;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.kernel.DmaMapping;
import io.rdma4j.verbs.kernel.DmaTable;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import io.rdma4j.verbs.values.Flags;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Executes the commands of DMA mappings and of regions of all mapped memory. */
final class DmaCommands {
    private static final DmaDirection[] DIRECTIONS = DmaDirection.values();

    private final SessionObjects objects;

    private DmaCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        DmaCommands commands = new DmaCommands(objects);
        table.add(CommandType.MAP_DMA, commands::map);
        table.add(CommandType.SYNC_DMA, commands::sync);
        table.addDestroy(CommandType.UNMAP_DMA, DmaMapping.class);
        table.add(CommandType.GET_DMA_MR, commands::register);
        table.add(
                CommandType.QUERY_LOCAL_DMA_LKEY,
                (_, answer) ->
                        answer.put(CommandAttribute.LKEY, objects.context().localDmaLkey()));
    }

    private void map(Message request, Message answer) {
        List<MemoryPiece> pieces = ServedMemory.pieces(request);
        int direction = request.get(CommandAttribute.DMA_DIRECTION);
        if (pieces.size() != 1 || direction < 0 || direction >= DIRECTIONS.length) {
            throw new RdmaException(
                    Errno.EINVAL, pieces.size() + " pieces in direction " + direction + " are no mapping");
        }
        MemorySegment memory = ServedMemory.map(pieces, Arena.ofAuto()).getFirst();
        DmaAttribute[] attributes = Flags.of(
                        DmaAttribute.class, request.get(CommandAttribute.DMA_ATTRIBUTES), one -> 1L << one.ordinal())
                .toArray(DmaAttribute[]::new);
        DmaMapping mapping = DmaTable.of(objects.context()).map(memory, DIRECTIONS[direction], attributes);
        objects.add(answer, mapping).putLong(CommandAttribute.DMA_ADDRESS, mapping.address());
    }

    private void sync(Message request, Message answer) {
        DmaMapping mapping = objects.find(request, DmaMapping.class);
        if (request.get(CommandAttribute.TO_DEVICE) != 0) {
            mapping.syncForDevice();
        } else {
            mapping.syncForCpu();
        }
    }

    private void register(Message request, Message answer) {
        ProtectionDomain pd = objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
        MemoryRegion region = pd.dmaRegion(AccessFlag.ofMask(request.get(CommandAttribute.ACCESS)));
        objects.add(answer, region).put(CommandAttribute.LKEY, region.lkey()).put(CommandAttribute.RKEY, region.rkey());
    }
}
