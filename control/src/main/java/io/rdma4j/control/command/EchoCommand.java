package io.rdma4j.control.command;

import java.util.List;

/** {@code echo}: writes values of {@link MachineFiles}, as a shell does with {@code >}, or says them. */
final class EchoCommand implements Command {
    @Override
    public String name() {
        return "echo";
    }

    @Override
    public String usage() {
        return "echo [VALUE...] [> PATH]";
    }

    @Override
    public int run(Session session, List<String> words) {
        int arrow = words.indexOf(">");
        if (arrow < 0) {
            session.out().println(String.join(" ", words));
            return 0;
        }
        if (arrow != words.size() - 2) {
            throw new UsageException("one path belongs behind \">\"");
        }
        new MachineFiles(session).write(words.getLast(), String.join(" ", words.subList(0, arrow)));
        return 0;
    }
}
