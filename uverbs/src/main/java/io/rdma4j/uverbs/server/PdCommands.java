package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.Command;
import io.rdma4j.verbs.ProtectionDomain;

/** Commands of protection domains. */
final class PdCommands {
    private PdCommands() {}

    static void addTo(CommandHandlers table, SessionObjects objects) {
        table.add(
                Command.ALLOC_PD,
                (_, answer) -> objects.add(answer, objects.context().allocatePd()));
        table.addDestroy(Command.DEALLOC_PD, ProtectionDomain.class);
    }
}
