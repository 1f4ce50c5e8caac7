// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.netlab.topology.ConfigWords;
import java.util.List;

/**
 * {@code bash}: opens a shell in the session's namespace until {@code exit}. Without a console its input is
 * empty, so it ends at once.
 */
public final class BashCommand implements ShellCommand {
    @Override
    public String name() {
        return "bash";
    }

    @Override
    public String usage() {
        return "bash [-c COMMAND]";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        if (arguments.take("-c")) {
            String line = arguments.next("a command");
            arguments.end();
            List<String> command = ConfigWords.split(line);
            return command.isEmpty() ? 0 : session.run(command);
        }
        arguments.end();
        NestedShells shells = session.shells();
        if (shells != null) {
            shells.open(session.namespace());
        }
        return 0;
    }
}
