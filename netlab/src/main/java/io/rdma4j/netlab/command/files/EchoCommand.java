// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.List;

/** {@code echo}: prints its arguments, or writes them to a file of {@link MachineFiles} after {@code >}. */
public final class EchoCommand implements ShellCommand {
    @Override
    public String name() {
        return "echo";
    }

    @Override
    public String usage() {
        return "echo [VALUE...] [> PATH]";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        int arrow = words.indexOf(">");
        if (arrow < 0) {
            session.out().println(String.join(" ", words));
            return 0;
        }
        if (arrow != words.size() - 2) {
            throw new UsageException("one path belongs behind \">\"");
        }
        new MachineFiles(session).write(words.getLast(), String.join(" ", words.subList(0, arrow)));
        return 0;
    }
}
