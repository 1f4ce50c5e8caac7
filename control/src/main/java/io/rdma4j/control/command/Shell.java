package io.rdma4j.control.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.control.Machine;
import io.rdma4j.control.network.Network;
import io.rdma4j.control.topology.Topology;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands on machines; the same for all of them, without state. Any thread may call. */
public final class Shell {
    /** Exit code of a command that failed, or was refused. */
    public static final int FAILED = 1;

    /** Exit code for words that make no sense, as of {@code iproute2}. */
    public static final int USAGE = 255;

    /** Exit code for a command that there is not, as of a shell. */
    public static final int NOT_FOUND = 127;

    private static final List<Command> COMMANDS = List.of(
            new BashCommand(),
            new CatCommand(),
            new EchoCommand(),
            new EthtoolCommand(),
            new IfconfigCommand(),
            new IpCommand(),
            new IptablesCommand(),
            new LsCommand(),
            new LsmodCommand(),
            new MkdirCommand(),
            new ModprobeCommand(),
            new PingCommand(),
            new RdmaCommand(),
            new ReadlinkCommand(),
            new RmdirCommand(),
            new SysctlCommand(),
            new TcCommand(),
            new TcpdumpCommand(),
            new TracepathCommand(),
            new UdevadmCommand(),
            new UnshareCommand(),
            new VconfigCommand());

    private Shell() {}

    /** {@return all commands, one a line, each with how to call it} */
    public static String usage() {
        StringBuilder text = new StringBuilder();
        COMMANDS.forEach(command -> text.append(command.usage()).append('\n'));
        return text.toString();
    }

    /**
     * {@return whether machines have a command}
     *
     * @param name its first word
     */
    public static boolean has(String name) {
        return find(name) != null;
    }

    /**
     * Runs a command in the initial namespace of a machine.
     *
     * @param machine where it runs
     * @param words the command and what follows it, at least one
     * @param out gets what the command prints
     * @param err gets what it complains of
     * @return exit code, 0 if all went well
     */
    public static int run(Machine machine, List<String> words, PrintWriter out, PrintWriter err) {
        int exit = run(new Session(machine, machine.net().initial(), null, out, err), words);
        out.flush();
        err.flush();
        return exit;
    }

    /**
     * Runs the commands of a topology on the machines of its network, to the first one that fails.
     *
     * @param network that was built of {@code topology}
     * @param source what messages call the topology
     * @param topology whose commands run
     * @param out gets what the commands print
     * @param err gets what they complain of
     * @throws RdmaException EINVAL if one fails; the message names its line
     */
    public static void runAll(Network network, String source, Topology topology, PrintWriter out, PrintWriter err) {
        for (Topology.Command command : topology.commands()) {
            if (run(network.machine(command.host()), command.words(), out, err) != 0) {
                throw new RdmaException(
                        Errno.EINVAL,
                        source + ":" + command.line() + ": " + String.join(" ", command.words()) + ": this failed");
            }
        }
    }

    /** The same wherever the session is. */
    static int run(Session session, List<String> words) {
        String name = words.getFirst();
        Command command = find(name);
        if (command == null) {
            session.err()
                    .println(name + ": command not found; there is "
                            + String.join(
                                    ", ", COMMANDS.stream().map(Command::name).toList()));
            return NOT_FOUND;
        }
        try {
            return command.run(session, words.subList(1, words.size()));
        } catch (UsageException e) {
            session.err().println(name + ": " + e.getMessage());
            session.err().println(command.usage().indent(2).stripTrailing());
            return USAGE;
        } catch (RdmaException e) {
            session.err().println(name + ": " + e.getMessage());
            return FAILED;
        }
    }

    private static @Nullable Command find(String name) {
        for (Command command : COMMANDS) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }
}
