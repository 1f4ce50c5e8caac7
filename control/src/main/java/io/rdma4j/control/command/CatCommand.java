package io.rdma4j.control.command;

import java.util.List;

/** {@code cat}: shows values of {@link MachineFiles}. */
final class CatCommand implements Command {
    @Override
    public String name() {
        return "cat";
    }

    @Override
    public String usage() {
        return "cat PATH...";
    }

    @Override
    public int run(Session session, List<String> words) {
        if (words.isEmpty()) {
            throw new UsageException("a path is missing");
        }
        MachineFiles files = new MachineFiles(session);
        for (String word : words) {
            files.matching(word).forEach(path -> session.out().println(files.read(path)));
        }
        return 0;
    }
}
