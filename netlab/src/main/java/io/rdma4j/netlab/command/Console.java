// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import io.rdma4j.net.ns.NetNamespace;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.shell.NestedShells;
import io.rdma4j.netlab.command.shell.ShellSession;
import java.io.PrintWriter;
import java.util.List;

/**
 * Runs the lines that a user types on one machine. {@code bash} opens a nested shell in its namespace; {@code exit}
 * ends it. One thread at a time.
 */
public final class Console {
    private static final String EXIT = "exit";

    private final Machine machine;
    private final NestedShells shells = new NestedShells();

    /**
     * Creates the console of a machine; its first shell is in the initial namespace.
     *
     * @param machine machine on which the lines run
     */
    public Console(Machine machine) {
        this.machine = machine;
    }

    /** {@return whether a nested shell is open, which {@code exit} would end} */
    public boolean isNested() {
        return !shells.isEmpty();
    }

    /**
     * Runs a line.
     *
     * @param words the command and its arguments, at least one word
     * @param out receives the output
     * @param err receives the error messages
     * @return exit code, 0 on success
     */
    public int run(List<String> words, PrintWriter out, PrintWriter err) {
        int exit = 0;
        if (isNested() && words.getFirst().equals(EXIT)) {
            shells.exit();
        } else {
            NetNamespace where = isNested() ? shells.namespace() : machine.net().initial();
            exit = Shell.run(new ShellSession(machine, where, Shell::run, shells, out, err), words);
        }
        out.flush();
        err.flush();
        return exit;
    }
}
