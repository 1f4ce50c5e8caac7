package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/** {@code mkdir}: makes a group of senders, as for Linux's control groups; there are no other folders to make. */
final class MkdirCommand implements Command {
    @Override
    public String name() {
        return "mkdir";
    }

    @Override
    public String usage() {
        return "mkdir " + MachineFiles.GROUPS + "GROUP";
    }

    @Override
    public int run(Session session, List<String> words) {
        if (words.size() != 1) {
            throw new UsageException("one path is wanted");
        }
        String path = words.getFirst();
        String group = path.startsWith(MachineFiles.GROUPS) ? path.substring(MachineFiles.GROUPS.length()) : "";
        if (group.isEmpty() || group.contains("/")) {
            throw new RdmaException(Errno.EPERM, path + ": folders are made in " + MachineFiles.GROUPS + " only");
        }
        session.machine().groups().create(group);
        return 0;
    }
}
