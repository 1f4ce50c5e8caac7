// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.Machine;
import io.rdma4j.netlab.command.ethtool.EthtoolCommand;
import io.rdma4j.netlab.command.files.CatCommand;
import io.rdma4j.netlab.command.files.EchoCommand;
import io.rdma4j.netlab.command.files.LsCommand;
import io.rdma4j.netlab.command.files.LsmodCommand;
import io.rdma4j.netlab.command.files.MkdirCommand;
import io.rdma4j.netlab.command.files.ModprobeCommand;
import io.rdma4j.netlab.command.files.ReadlinkCommand;
import io.rdma4j.netlab.command.files.RmdirCommand;
import io.rdma4j.netlab.command.files.SysctlCommand;
import io.rdma4j.netlab.command.files.UdevadmCommand;
import io.rdma4j.netlab.command.ip.IfconfigCommand;
import io.rdma4j.netlab.command.ip.IpCommand;
import io.rdma4j.netlab.command.ip.IptablesCommand;
import io.rdma4j.netlab.command.ip.VconfigCommand;
import io.rdma4j.netlab.command.ping.PingCommand;
import io.rdma4j.netlab.command.ping.TcpdumpCommand;
import io.rdma4j.netlab.command.ping.TracepathCommand;
import io.rdma4j.netlab.command.rdma.RdmaCommand;
import io.rdma4j.netlab.command.shell.BashCommand;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.ShellCommand;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UnshareCommand;
import io.rdma4j.netlab.command.shell.UsageException;
import io.rdma4j.netlab.command.tc.TcCommand;
import io.rdma4j.netlab.network.Network;
import io.rdma4j.netlab.topology.Topology;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs commands on machines. Has no state. Any thread may call. */
public final class Shell {
    private static final List<ShellCommand> COMMANDS = List.of(
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

    /** {@return the forms of all commands, one on each line} */
    public static String usage() {
        StringBuilder text = new StringBuilder();
        COMMANDS.forEach(command -> text.append(command.usage()).append('\n'));
        return text.toString();
    }

    /**
     * {@return whether a command exists}
     *
     * @param name first word of the command
     */
    public static boolean has(String name) {
        return find(name) != null;
    }

    /**
     * Runs a command in the initial namespace of a machine.
     *
     * @param machine machine on which the command runs
     * @param words the command and its arguments, at least one word
     * @param out receives the output
     * @param err receives the error messages
     * @return exit code, 0 on success
     */
    public static int run(Machine machine, List<String> words, PrintWriter out, PrintWriter err) {
        int exit = run(new ShellSession(machine, machine.net().initial(), Shell::run, null, out, err), words);
        out.flush();
        err.flush();
        return exit;
    }

    /**
     * Runs the commands of a topology on the machines of its network until one fails.
     *
     * @param network network that was built from {@code topology}
     * @param source name of the topology in messages
     * @param topology topology with the commands
     * @param out receives the output
     * @param err receives the error messages
     * @throws RdmaException EINVAL if a command fails; the message names its line
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

    /** Runs a command in a session. */
    static int run(ShellSession session, List<String> words) {
        String name = words.getFirst();
        ShellCommand command = find(name);
        if (command == null) {
            session.err()
                    .println(name + ": command not found; there is "
                            + String.join(
                                    ", ",
                                    COMMANDS.stream().map(ShellCommand::name).toList()));
            return ExitCode.NOT_FOUND;
        }
        try {
            return command.run(session, words.subList(1, words.size()));
        } catch (UsageException e) {
            session.err().println(name + ": " + e.getMessage());
            session.err().println(command.usage().indent(2).stripTrailing());
            return ExitCode.USAGE;
        } catch (RdmaException e) {
            session.err().println(name + ": " + e.getMessage());
            return ExitCode.FAILED;
        }
    }

    private static @Nullable ShellCommand find(String name) {
        for (ShellCommand command : COMMANDS) {
            if (command.name().equals(name)) {
                return command;
            }
        }
        return null;
    }
}
