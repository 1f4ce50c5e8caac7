package io.rdma4j.control.command;

import io.rdma4j.control.Machine;
import io.rdma4j.net.ns.NetNamespace;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The lines that a user types on one machine, one after another. {@code bash} opens a shell inside the one that runs, in the namespace
 * where the command runs; {@code exit} ends it. One thread at a time.
 */
public final class Console {
    private static final String EXIT = "exit";

    /** A shell inside another one. */
    private record Nested(NetNamespace namespace, Deque<Runnable> atExit) {}

    private final Machine machine;
    private final Deque<Nested> shells = new ArrayDeque<>();

    /**
     * Makes the console of a machine, whose first shell is in the initial namespace.
     *
     * @param machine where the lines run
     */
    public Console(Machine machine) {
        this.machine = machine;
    }

    /** {@return whether a shell runs inside the first one, so that {@code exit} ends that one only} */
    public boolean isNested() {
        return !shells.isEmpty();
    }

    /**
     * Runs a line.
     *
     * @param words the command and what follows it, at least one
     * @param out gets what the command prints
     * @param err gets its error messages
     * @return exit code, 0 if the command succeeds
     */
    public int run(List<String> words, PrintWriter out, PrintWriter err) {
        int exit = 0;
        if (isNested() && words.getFirst().equals(EXIT)) {
            shells.pop().atExit().forEach(Runnable::run);
        } else {
            NetNamespace where =
                    isNested() ? shells.peek().namespace() : machine.net().initial();
            exit = Shell.run(new Session(machine, where, this, out, err), words);
        }
        out.flush();
        err.flush();
        return exit;
    }

    /** Opens a shell in a namespace; the lines that follow run there. */
    void open(NetNamespace namespace) {
        shells.push(new Nested(namespace, new ArrayDeque<>()));
    }

    /** How many shells run inside the first one. */
    int depth() {
        return shells.size();
    }

    /** The innermost shell does this when it ends. */
    void atExit(Runnable action) {
        shells.element().atExit().push(action);
    }
}
