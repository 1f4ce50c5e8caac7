// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.ib.umad2sim.SimulatorManager;
import io.rdma4j.ib.umad2sim.SimulatorPort;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** {@code sm}: our subnet manager at a node of the simulator ibsim, see {@link #usage}. */
public final class SmCommand implements Command {
    private static final int FAILED = 1;
    private static final String IBSIM = "--ibsim";
    private static final String NODE = "--node";
    private static final String ONCE = "--once";
    private static final String USUAL = "127.0.0.1:7070";
    private static final int MAX_PORT = 0xFFFF;
    private static final long PAUSE_NS = 20_000_000;

    @Override
    public void usage(PrintWriter out) {
        out.println("""
            Usage: sm [--ibsim HOST:PORT] [--node NAME] [-o] [OPTION...]

            Manages the subnet of the simulator ibsim, which was started by 'ibsim -r -s FILE', or of
            'net run --sm none --umad2sim PORT': finds nodes and links, gives LIDs, writes forwarding tables, activates
            the ports and answers requests of the subnet administrator. Ends when it is interrupted, or the simulator
            ends.

            Options:
              --ibsim HOST:PORT  the simulator (default: 127.0.0.1:7070)
              --node NAME        the node at which the manager runs (default: the one that the simulator chooses)
              -o, --once         end when all ports are active\
            """);
        out.println(ManagerSettings.USAGE);
    }

    @Override
    public int run(String[] arguments, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(Arrays.asList(arguments));
        if (words.contains("-h") || words.contains("--help")) {
            usage(out);
            return 0;
        }
        boolean isOnce = words.removeAll(List.of("-o", ONCE));
        InetSocketAddress simulator = address(WordOptions.take(words, IBSIM, USUAL));
        String node = WordOptions.take(words, NODE, "");
        ManagerSettings settings =
                ManagerSettings.take("", (option, otherwise) -> WordOptions.take(words, option, otherwise));
        if (!words.isEmpty()) {
            throw new UsageException("'" + words.getFirst() + "' is one argument too many");
        }
        try (SimulatorPort port = SimulatorPort.attach(simulator, node);
                SimulatorManager manager = new SimulatorManager(port, settings.options(port.guid()))) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(manager, port)));
            out.println("subnet manager at " + port.node() + ", port GUID 0x" + Long.toHexString(port.guid()));
            return watch(manager, isOnce, out, err);
        }
    }

    /** An interrupted process tells the simulator that it goes. */
    private static void leave(SimulatorManager manager, SimulatorPort port) {
        manager.close();
        try {
            port.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port > 0 && port <= MAX_PORT) {
                return new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)), port);
            }
        } catch (NumberFormatException | UnknownHostException _) {
            // the message is the same
        }
        throw new UsageException("'" + IBSIM + "' wants HOST:PORT, not '" + text + "'");
    }

    /** Prints each change of the state, and what each sweep has found. */
    private static int watch(SimulatorManager manager, boolean isOnce, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        String before = "";
        while (!manager.hasEnded()) {
            boolean isUp = manager.isUp();
            String state = "state " + manager.state() + (isUp ? ", the subnet is up" : "");
            if (!state.equals(before)) {
                out.println(state);
                out.flush();
                before = state;
            }
            if (isOnce && isUp) {
                return 0;
            }
            LockSupport.parkNanos(PAUSE_NS);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        err.println("sm: the simulator has ended");
        return FAILED;
    }
}
