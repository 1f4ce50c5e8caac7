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
        Runnable end = () -> session.machine().deleteNamespace(own);
        Console console = session.console();
        int depth = console == null ? 0 : console.depth();
        int exit;
        try {
            exit = Shell.run(session.in(own), arguments.rest());
        } catch (RuntimeException e) {
            end.run();
            throw e;
        }
        if (console != null && console.depth() > depth) {
            console.atExit(end);
        } else {
            end.run();
        }
        return exit;
    }
}
