// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

import io.rdma4j.uverbs.abi.CommandType;
import io.rdma4j.verbs.ProtectionDomain;

/** Executes the commands of protection domains. */
final class PdCommands {
    private PdCommands() {}

    static void addTo(CommandTable table, SessionObjects objects) {
        table.add(
                CommandType.ALLOC_PD,
                (_, answer) -> objects.add(answer, objects.context().allocatePd()));
        table.addDestroy(CommandType.DEALLOC_PD, ProtectionDomain.class);
    }
}
