package io.rdma4j.control.command;

import java.util.List;

/** {@code ls}: what is in a folder of {@link MachineFiles}, one name a line. */
final class LsCommand implements Command {
    @Override
    public String name() {
        return "ls";
    }

    @Override
    public String usage() {
        return "ls PATH";
    }

    @Override
    public int run(Session session, List<String> words) {
        if (words.size() != 1) {
            throw new UsageException("one path is wanted");
        }
        new MachineFiles(session).list(words.getFirst()).forEach(session.out()::println);
        return 0;
    }
}
