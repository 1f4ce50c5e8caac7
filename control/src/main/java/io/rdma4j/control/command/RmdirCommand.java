package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.ClientGroups;
import java.util.List;

/** {@code rmdir}: takes a group of senders away that {@code mkdir} made. */
final class RmdirCommand implements Command {
    @Override
    public String name() {
        return "rmdir";
    }

    @Override
    public String usage() {
        return "rmdir " + GroupFiles.USUAL + "GROUP";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
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
