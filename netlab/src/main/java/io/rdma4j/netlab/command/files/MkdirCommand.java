// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code mkdir}: creates a group of senders (a control group); other directories cannot be created. */
public final class MkdirCommand implements ShellCommand {
    @Override
    public String name() {
        return "mkdir";
    }

    @Override
    public String usage() {
        return "mkdir " + GroupFiles.USUAL + "GROUP";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        String path = arguments.next("a path");
        arguments.end();
        session.machine().groups().create(GroupFiles.groupOf(path));
        return 0;
    }
}
