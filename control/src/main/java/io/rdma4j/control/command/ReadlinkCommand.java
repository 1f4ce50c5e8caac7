package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/** {@code readlink}: where a symbolic link of the {@link MachineFiles} leads; {@code net:[4026531840]} for a namespace. */
final class ReadlinkCommand implements Command {
    @Override
    public String name() {
        return "readlink";
    }

    @Override
    public String usage() {
        return "readlink /proc/self/ns/net";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        String path = arguments.next("a path");
        arguments.end();
        if (!(new MachineFiles(session).tree(path).lstat(path) instanceof FileTree.Link(String target))) {
            throw new RdmaException(Errno.EINVAL, path + " is no link");
        }
        session.out().println(target);
        return 0;
    }
}
