// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.files;

import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.util.List;

/** {@code sysctl}: shows and writes the values below {@code /proc/sys}; dots replace slashes in their names. */
public final class SysctlCommand implements ShellCommand {
    private static final String ROOT = "/proc/sys/";

    @Override
    public String name() {
        return "sysctl";
    }

    @Override
    public String usage() {
        return """
            sysctl -a
            sysctl NAME...
            sysctl [-w] NAME=VALUE...\
            """;
    }

    @Override
    public int run(ShellSession session, List<String> words) {
        ArgumentReader arguments = new ArgumentReader(words);
        MachineFiles files = new MachineFiles(session);
        if (arguments.take("-a")) {
            arguments.end();
            files.tree(ROOT).values().stream()
                    .filter(path -> path.startsWith(ROOT))
                    .forEach(path ->
                            show(session, files, path.substring(ROOT.length()).replace('/', '.')));
            return 0;
        }
        arguments.take("-w");
        do {
            one(session, files, arguments.next("the name of a value"));
        } while (arguments.hasNext());
        return 0;
    }

    private static void one(ShellSession session, MachineFiles files, String word) {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        if (equals >= 0) {
            files.write(path(name), word.substring(equals + 1));
        }
        show(session, files, name);
    }

    private static void show(ShellSession session, MachineFiles files, String name) {
        session.out().println(name + " = " + files.read(path(name)));
    }

    private static String path(String name) {
        return ROOT + name.replace('.', '/');
    }
}
