// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.rdma;

import io.rdma4j.netlab.command.rdma.RdmaCommand;
import io.rdma4j.tools.cli.Command;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;

/**
 * {@code rdma}: shows the devices that processes of this user have open over network interfaces, and adds and deletes
 * devices that a background process serves. The same command exists in the shell of {@code net}.
 */
public final class RdmaTool implements Command {
    /** Subcommand of the background process; {@code iproute2} has no such word. */
    static final String SERVE = "serve";

    private static final int WORDS_TO_SERVE = 7;

    private final Supplier<List<String>> tools;

    /** @param tools the command line that starts a tool in a separate process, without the name of the tool */
    public RdmaTool(Supplier<List<String>> tools) {
        this.tools = tools;
    }

    @Override
    public int run(String[] arguments, PrintWriter out, PrintWriter err) throws InterruptedException {
        List<String> words = List.of(arguments);
        if (words.size() == WORDS_TO_SERVE && words.subList(0, 2).equals(List.of("link", SERVE))) {
            LinkServer.serve(words.get(2), words.get(4), words.get(6));
            return 0;
        }
        try (LiveRdma live = new LiveRdma(tools)) {
            return RdmaCommand.run(live, words, out, err);
        }
    }

    @Override
    public void usage(PrintWriter out) {
        out.println("Usage: rdma [OPTION...] OBJECT [COMMAND]");
        out.println();
        out.println(RdmaCommand.usageText().indent(2).stripTrailing());
        out.println();
        out.println("Devices are those that processes of this user serve in this network namespace: each device over a"
                + " network");
        out.println("interface, while a process has it open. What 'rdma link add' makes is served by a process in the"
                + " background");
        out.println("until 'rdma link delete' or reboot.");
    }
}
