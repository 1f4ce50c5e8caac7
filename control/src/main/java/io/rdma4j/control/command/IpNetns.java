package io.rdma4j.control.command;

import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import java.util.List;

/** {@code ip netns}: the namespaces of the machine that have a name. */
final class IpNetns implements IpObject {
    /** Where Linux keeps the names; messages say so. */
    private static final String FOLDER = "/var/run/netns/";

    @Override
    public String name() {
        return "netns";
    }

    @Override
    public int run(Session session, IpOptions options, Arguments words) {
        String command =
                words.keyword("Command", "list", List.of("list", "show", "lst", "identify", "add", "delete", "exec"));
        return switch (command) {
            case "add" -> add(session, words);
            case "delete" -> delete(session, words);
            case "exec" -> execute(session, words);
            case "identify" -> identify(session);
            default -> list(session, options);
        };
    }

    private static int add(Session session, Arguments words) {
        String name = words.next("a name");
        return attempt(
                session,
                "Cannot create namespace file \"" + FOLDER + name + "\"",
                () -> session.machine().addNamespace(name));
    }

    private static int delete(Session session, Arguments words) {
        String name = words.next("a name");
        return attempt(
                session,
                "Cannot remove namespace file \"" + FOLDER + name + "\"",
                () -> session.machine().deleteNamespace(name));
    }

    private static int attempt(Session session, String failure, Runnable action) {
        try {
            action.run();
            return 0;
        } catch (RdmaException e) {
            session.err().println(failure + ": " + e.errno().text());
            return Shell.FAILED;
        }
    }

    private static int execute(Session session, Arguments words) {
        Session there;
        String name = words.next("a namespace");
        try {
            there = session.in(name);
        } catch (RdmaException e) {
            session.err()
                    .println("Cannot open network namespace \"" + name + "\": "
                            + e.errno().text());
            return Shell.FAILED;
        }
        if (!words.hasNext()) {
            throw new UsageException("No command specified");
        }
        return Shell.run(there, words.rest());
    }

    private static int identify(Session session) {
        session.nameOf(session.namespace()).ifPresent(session.out()::println);
        return 0;
    }

    private static int list(Session session, IpOptions options) {
        List<Report> reports = session.machine().namespaces().keySet().stream()
                .filter(name -> !name.equals(Machine.INITIAL))
                .map(name -> new Report().add("", "name", name))
                .toList();
        Report.print(reports, options.json(), session.out());
        return 0;
    }
}
