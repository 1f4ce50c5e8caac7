// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/**
 * {@code readlink}: prints the target of a symbolic link of {@link MachineFiles}, such as {@code net:[4026531840]} for
 * a namespace.
 */
public final class ReadlinkCommand implements ShellCommand {
    @Override
    public String name() {
        return "readlink";
    }

    @Override
    public String usage() {
        return "readlink /proc/self/ns/net";
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        String path = arguments.next("a path");
        arguments.end();
        if (!(new MachineFiles(session).tree(path).lstat(path) instanceof FileTree.Link(String target))) {
            throw new RdmaException(Errno.EINVAL, path + " is no link");
        }
        session.out().println(target);
        return 0;
    }
}
