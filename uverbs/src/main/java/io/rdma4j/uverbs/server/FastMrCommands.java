package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Attribute;
import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.Fmr;
import io.rdma4j.verbs.FmrAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Commands of regions that are mapped again and again: by work request, and of the older kind, by command. Mappings of this process end when
 * neither the region nor a packet refers to them.
 */
final class FastMrCommands {
    private final SessionObjects objects;

    private FastMrCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandHandlers table, SessionObjects objects) {
        FastMrCommands commands = new FastMrCommands(objects);
        table.add(Command.ALLOC_FAST_MR, commands::allocateFast);
        table.add(Command.MAP_FAST_MR, commands::mapFast);
        table.addDestroy(Command.DEALLOC_FAST_MR, FastMemoryRegion.class);
        table.add(Command.ALLOC_FMR, commands::allocateFmr);
        table.add(Command.MAP_FMR, commands::mapFmr);
        table.add(
                Command.UNMAP_FMR,
                (request, _) -> objects.find(request, ServedFmr.class).fmr().unmap());
        table.addDestroy(Command.DEALLOC_FMR, ServedFmr.class);
    }

    /** A region of the older kind, which is closed whether something is mapped or not. */
    private record ServedFmr(Fmr fmr) implements AutoCloseable {
        @Override
        public void close() {
            fmr.unmap();
            fmr.close();
        }
    }

    private ProtectionDomain pd(Message request) {
        return objects.find(request, Attribute.PD, ProtectionDomain.class);
    }

    private static List<MemorySegment> memory(Message request) {
        return ServedMemory.map(ServedMemory.pieces(request), Arena.ofAuto());
    }

    private void allocateFast(Message request, Message answer) {
        FastMemoryRegion region = pd(request).allocateFastRegion(request.get(Attribute.MAX_PAGES));
        objects.add(answer, region).put(Attribute.NUMBER, region.handle()).put(Attribute.RKEY, region.key());
    }

    /** Where it begins for work requests, the one that registers it says. */
    private void mapFast(Message request, Message answer) {
        objects.find(request, FastMemoryRegion.class).map(memory(request));
    }

    private void allocateFmr(Message request, Message answer) {
        FmrAttributes attributes = request.getRecord(Attribute.FMR_ATTRIBUTES, FmrAttributes.class);
        Fmr fmr = pd(request).allocateFmr(attributes, AccessFlag.ofMask(request.get(Attribute.ACCESS)));
        objects.add(answer, new ServedFmr(fmr)).put(Attribute.RKEY, fmr.rkey());
    }

    private void mapFmr(Message request, Message answer) {
        Fmr fmr = objects.find(request, ServedFmr.class).fmr();
        fmr.map(memory(request), request.getLong(Attribute.IOVA));
        answer.put(Attribute.RKEY, fmr.rkey());
    }
}
