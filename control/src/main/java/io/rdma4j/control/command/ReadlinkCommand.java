package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.List;

/** {@code readlink}: which namespace one of the {@link MachineFiles} that stand for one means, {@code net:[4026531840]}. */
final class ReadlinkCommand implements Command {
    private static final String FOLDER = "/ns/";

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
        if (!path.contains(FOLDER)) {
            throw new RdmaException(Errno.EINVAL, path + " is no link");
        }
        session.out().println(new MachineFiles(session).read(path));
        return 0;
    }
}
