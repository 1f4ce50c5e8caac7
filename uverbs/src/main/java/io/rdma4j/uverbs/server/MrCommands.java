// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandAttribute;
import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.uverbs.abi.Message;
import io.rdma4j.uverbs.abi.RecordCodec;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.MemoryWindow;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.Reregistration;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.WindowType;
import java.util.List;
import java.util.Set;

/** Executes the commands of memory regions and memory windows. */
final class MrCommands {
    private final SessionObjects objects;

    private MrCommands(SessionObjects objects) {
        this.objects = objects;
    }

    static void addTo(CommandTable table, SessionObjects objects) {
        MrCommands commands = new MrCommands(objects);
        table.add(CommandType.REG_MR, commands::register);
        table.add(CommandType.REREG_MR, commands::reregister);
        table.addDestroy(CommandType.DEREG_MR, List.of(ServedRegion.class, MemoryRegion.class));
        table.add(CommandType.ALLOC_MW, commands::allocateWindow);
        table.addDestroy(CommandType.DEALLOC_MW, MemoryWindow.class);
    }

    private ProtectionDomain pd(Message request) {
        return objects.find(request, CommandAttribute.PD, ProtectionDomain.class);
    }

    private static Set<AccessFlag> access(Message request) {
        return AccessFlag.ofMask(request.get(CommandAttribute.ACCESS));
    }

    private static void putKeys(Message answer, MemoryRegion region) {
        answer.put(CommandAttribute.LKEY, region.lkey()).put(CommandAttribute.RKEY, region.rkey());
    }

    private void register(Message request, Message answer) {
        ServedRegion region = ServedRegion.register(
                pd(request), ServedMemory.pieces(request), request.getLong(CommandAttribute.IOVA), access(request));
        objects.add(answer, region);
        putKeys(answer, region.region());
    }

    private void reregister(Message request, Message answer) {
        ServedRegion region = objects.find(request, ServedRegion.class);
        Reregistration change = Reregistration.empty().withDomain(pd(request)).withAccess(access(request));
        if (request.has(CommandAttribute.PIECES)) {
            region.reregister(change, ServedMemory.pieces(request), request.getLong(CommandAttribute.IOVA));
        } else {
            region.region().reregister(change);
        }
        putKeys(answer, region.region());
    }

    private void allocateWindow(Message request, Message answer) {
        WindowType type =
                RecordCodec.byCode(WindowType.values(), WindowType::code, request.get(CommandAttribute.MW_TYPE));
        MemoryWindow window = pd(request).allocateWindow(type);
        objects.add(answer, window)
                .put(CommandAttribute.NUMBER, window.handle())
                .put(CommandAttribute.RKEY, window.rkey());
    }
}
