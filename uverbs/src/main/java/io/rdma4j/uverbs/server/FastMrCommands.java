// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.kernel.Fmr;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.FmrAttributes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Executes the commands of regions that are mapped repeatedly: fast regions by work request, FMRs by command. The
 * server unmaps memory after the last reference from a region or a packet has ended.
 */
final class FastMrCommands {
    private final SessionObjects objects;

    private FastMrCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        FastMrCommands commands = new FastMrCommands(objects);
        table.add(CommandType.ALLOC_FAST_MR, commands::allocateFast);
        table.add(CommandType.MAP_FAST_MR, commands::mapFast);
        table.addDestroy(CommandType.DEALLOC_FAST_MR, FastMemoryRegion.class);
        table.add(CommandType.ALLOC_FMR, commands::allocateFmr);
        table.add(CommandType.MAP_FMR, commands::mapFmr);
        table.add(
                CommandType.UNMAP_FMR,
                (request, _) -> objects.find(request, ServedFmr.class).fmr().unmap());
        table.addDestroy(CommandType.DEALLOC_FMR, ServedFmr.class);
    }

    /** An FMR; {@code close} also unmaps it. */
    private record ServedFmr(Fmr fmr) implements AutoCloseable {
        @Override
        public void close() {
            fmr.unmap();
            fmr.close();
        }
    }

    private ProtectionDomain pd(Message request) {
        return objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
    }

    private static List<MemorySegment> memory(Message request) {
        return ServedMemory.map(ServedMemory.pieces(request), Arena.ofAuto());
    }

    private void allocateFast(Message request, Message answer) {
        FastMemoryRegion region = pd(request).allocateFastRegion(request.get(CommandAttribute.MAX_PAGES));
        objects.add(answer, region)
                .put(CommandAttribute.NUMBER, region.handle())
                .put(CommandAttribute.RKEY, region.key());
    }

    /** The work request that registers the region sets its first address. */
    private void mapFast(Message request, Message answer) {
        objects.find(request, FastMemoryRegion.class).map(memory(request));
    }

    private void allocateFmr(Message request, Message answer) {
        FmrAttributes attributes = request.getRecord(CommandAttribute.FMR_ATTRIBUTES, FmrAttributes.class);
        Fmr fmr = Fmr.allocate(pd(request), attributes, AccessFlag.ofMask(request.get(CommandAttribute.ACCESS)));
        objects.add(answer, new ServedFmr(fmr)).put(CommandAttribute.RKEY, fmr.rkey());
    }

    private void mapFmr(Message request, Message answer) {
        Fmr fmr = objects.find(request, ServedFmr.class).fmr();
        fmr.map(memory(request), request.getLong(CommandAttribute.IOVA));
        answer.put(CommandAttribute.RKEY, fmr.rkey());
    }
}
