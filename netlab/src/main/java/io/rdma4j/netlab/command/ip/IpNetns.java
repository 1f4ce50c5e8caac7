// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ip;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.CommandReport;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.List;

/** {@code ip netns}: the namespaces of the machine that have a name. */
final class IpNetns implements IpObject {
    /** Linux's directory of the names, for messages. */
    private static final String FOLDER = "/var/run/netns/";

    @Override
    public String name() {
        return "netns";
    }

    @Override
    public int run(ShellSession session, IpOptions options, ArgumentReader words) {
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

    private static int add(ShellSession session, ArgumentReader words) {
        String name = words.next("a name");
        return attempt(
                session,
                "Cannot create namespace file \"" + FOLDER + name + "\"",
                () -> session.machine().addNamespace(name));
    }

    private static int delete(ShellSession session, ArgumentReader words) {
        String name = words.next("a name");
        return attempt(
                session,
                "Cannot remove namespace file \"" + FOLDER + name + "\"",
                () -> session.machine().deleteNamespace(name));
    }

    private static int attempt(ShellSession session, String failure, Runnable action) {
        try {
            action.run();
            return 0;
        } catch (RdmaException e) {
            session.err().println(failure + ": " + e.errno().text());
            return ExitCode.FAILED;
        }
    }

    private static int execute(ShellSession session, ArgumentReader words) {
        ShellSession there;
        String name = words.next("a namespace");
        try {
            there = session.in(name);
        } catch (RdmaException e) {
            session.err()
                    .println("Cannot open network namespace \"" + name + "\": "
                            + e.errno().text());
            return ExitCode.FAILED;
        }
        if (!words.hasNext()) {
            throw new UsageException("No command specified");
        }
        return there.run(words.rest());
    }

    private static int identify(ShellSession session) {
        session.nameOf(session.namespace()).ifPresent(session.out()::println);
        return 0;
    }

    private static int list(ShellSession session, IpOptions options) {
        List<CommandReport> reports = session.machine().namespaces().keySet().stream()
                .filter(name -> !name.equals(Machine.INITIAL))
                .map(name -> new CommandReport().add("", "name", name))
                .toList();
        CommandReport.print(reports, options.json(), session.out());
        return 0;
    }
}
