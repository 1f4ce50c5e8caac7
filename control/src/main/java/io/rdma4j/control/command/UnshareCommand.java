package io.rdma4j.control.command;

import io.rdma4j.net.ns.NetNamespace;
import java.util.List;

/** {@code unshare --net COMMAND}: runs a command in a namespace of its own, which goes with it. */
final class UnshareCommand implements Command {
    @Override
    public String name() {
        return "unshare";
    }

    @Override
    public String usage() {
        return "unshare --net COMMAND …";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        if (!arguments.take("--net", "-n")) {
            throw new UsageException("only --net can be unshared here");
        }
        if (!arguments.hasNext()) {
            throw new UsageException("which command?");
        }
        NetNamespace own = session.machine().addNamespace();
        try {
            return Shell.run(session.in(own), arguments.rest());
        } finally {
            session.machine().deleteNamespace(own);
        }
    }
}
