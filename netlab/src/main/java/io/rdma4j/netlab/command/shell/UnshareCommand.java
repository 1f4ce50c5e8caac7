// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.shell;

import io.rdma4j.net.ns.NetNamespace;
import java.util.List;

/** {@code unshare --net COMMAND}: runs a command in a new namespace, which is deleted after the command. */
public final class UnshareCommand implements ShellCommand {
    @Override
    public String name() {
        return "unshare";
    }

    @Override
    public String usage() {
        return "unshare --net COMMAND …";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        if (!arguments.take("--net", "-n")) {
            throw new UsageException("only --net can be unshared here");
        }
        if (!arguments.hasNext()) {
            throw new UsageException("which command?");
        }
        NetNamespace own = session.machine().addNamespace();
        Runnable end = () -> session.machine().deleteNamespace(own);
        NestedShells shells = session.shells();
        int depth = shells == null ? 0 : shells.depth();
        int exit;
        try {
            exit = session.in(own).run(arguments.rest());
        } catch (RuntimeException e) {
            end.run();
            throw e;
        }
        if (shells != null && shells.depth() > depth) {
            shells.atExit(end);
        } else {
            end.run();
        }
        return exit;
    }
}
