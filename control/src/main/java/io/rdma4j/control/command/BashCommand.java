package io.rdma4j.control.command;

import io.rdma4j.control.topology.Words;
import java.util.List;

/**
 * {@code bash}: a shell in the namespace where it starts, until {@code exit}. Without a {@link Console} its input is at the end, so it ends
 * at once.
 */
final class BashCommand implements Command {
    @Override
    public String name() {
        return "bash";
    }

    @Override
    public String usage() {
        return "bash [-c COMMAND]";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        if (arguments.take("-c")) {
            String line = arguments.next("a command");
            arguments.end();
            List<String> command = Words.split(line);
            return command.isEmpty() ? 0 : Shell.run(session, command);
        }
        arguments.end();
        Console console = session.console();
        if (console != null) {
            console.open(session.namespace());
        }
        return 0;
    }
}
