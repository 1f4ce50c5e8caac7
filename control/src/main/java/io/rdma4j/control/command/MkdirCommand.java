package io.rdma4j.control.command;

import java.util.List;

/** {@code mkdir}: makes a group of senders, as for Linux's control groups; there are no other folders to make. */
final class MkdirCommand implements Command {
    @Override
    public String name() {
        return "mkdir";
    }

    @Override
    public String usage() {
        return "mkdir " + GroupFiles.USUAL + "GROUP";
    }

    @Override
    public int run(Session session, List<String> words) {
        Arguments arguments = new Arguments(words);
        String path = arguments.next("a path");
        arguments.end();
        session.machine().groups().create(GroupFiles.groupOf(path));
        return 0;
    }
}
