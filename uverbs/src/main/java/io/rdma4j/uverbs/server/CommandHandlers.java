// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.server;

/** Fills the table of a session's commands; a class for each kind of object adds its handlers. */
final class CommandHandlers {
    private CommandHandlers() {}

    static CommandTable of(SessionObjects objects) {
        CommandTable table = new CommandTable(objects);
        DeviceCommands.addTo(table, objects);
        PdCommands.addTo(table, objects);
        MrCommands.addTo(table, objects);
        FastMrCommands.addTo(table, objects);
        DmCommands.addTo(table, objects);
        DmaCommands.addTo(table, objects);
        AhCommands.addTo(table, objects);
        CqCommands.addTo(table, objects);
        QpCommands.addTo(table, objects);
        SrqCommands.addTo(table, objects);
        XrcCommands.addTo(table, objects);
        UmadCommands.addTo(table, objects);
        CmCommands.addTo(table, objects);
        SubnetCommands.addTo(table, objects);
        return table;
    }
}
