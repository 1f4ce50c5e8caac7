// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.transmit.ClientGroups;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code rmdir}: deletes a group of senders. */
public final class RmdirCommand implements ShellCommand {
    @Override
    public String name() {
        return "rmdir";
    }

    @Override
    public String usage() {
        return "rmdir " + GroupFiles.USUAL + "GROUP";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        String path = arguments.next("a path");
        arguments.end();
        ClientGroups groups = session.machine().groups();
        String group = GroupFiles.groupOf(path);
        if (groups.find(group) == null) {
            throw new RdmaException(Errno.ENOENT, path + ": " + Errno.ENOENT.text());
        }
        groups.remove(group);
        return 0;
    }
}
