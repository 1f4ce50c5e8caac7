// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools;

import io.rdma4j.tools.cli.GetoptCommand;
import io.rdma4j.tools.cli.Options;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code demo}: runs a ping-pong between two processes with one device each over the loopback interface. Checks every
 * byte of every message.
 *
 * <p>Exit code 0 only if both processes succeed; ends after one minute at most.
 */
final class DemoCommand extends GetoptCommand {
    /** Output of {@code ibv_rc_pingpong} with kernel Soft-RoCE, both ends on one host, for the same sizes. */
    private static final double KERNEL_USEC_PER_ITERATION = 61.7;

    private static final List<String> PING_PONG =
            List.of("ibv_rc_pingpong", "-d", "rxe_lo", "-s", "4096", "-n", "1000", "-c", "-p");

    private static final String READY = "local address:";
    private static final Pattern RESULT = Pattern.compile("= ([0-9.]+) usec/iter");
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final int FAILED = 1;

    DemoCommand() {
        super("demo", 2);
    }

    @Override
    protected String synopsis() {
        return "Usage: demo      two processes exchange 1000 messages of 4096 bytes over software RoCE";
    }

    @Override
    protected int run(Options options, PrintWriter out, PrintWriter err) throws IOException, InterruptedException {
        atMostOperands(options, 0);
        long end = System.nanoTime() + LIMIT_NS;
        String port = Integer.toString(freePort());
        out.println("demo: starting the server");
        try (ToolProcess server = ToolProcess.tool("server", out, pingPong(port))) {
            if (server.awaitLine(READY, end - System.nanoTime()).isEmpty()) {
                err.println("demo: the server did not start");
                return FAILED;
            }
            out.println("demo: starting the client");
            try (ToolProcess client = ToolProcess.tool("client", out, pingPong(port, "localhost"))) {
                return finish(client, server, end, out, err);
            }
        }
    }

    private static int finish(ToolProcess client, ToolProcess server, long end, PrintWriter out, PrintWriter err)
            throws InterruptedException {
        boolean clientWell = endedWell("client", client, end, err);
        boolean serverWell = endedWell("server", server, end, err);
        if (!clientWell || !serverWell) {
            return FAILED;
        }
        Matcher result = RESULT.matcher(client.awaitLine("usec/iter", 0).orElse(""));
        if (!result.find()) {
            err.println("demo: the client printed no result");
            return FAILED;
        }
        out.println(summary(Double.parseDouble(result.group(1))));
        return 0;
    }

    private static boolean endedWell(String label, ToolProcess process, long end, PrintWriter err)
            throws InterruptedException {
        OptionalInt exitCode = process.awaitExit(Math.max(0, end - System.nanoTime()));
        if (exitCode.isEmpty()) {
            err.println("demo: the " + label + " did not end in time");
        } else if (exitCode.getAsInt() != 0) {
            err.println("demo: the " + label + " failed with exit code " + exitCode.getAsInt());
        }
        return exitCode.equals(OptionalInt.of(0));
    }

    /** Formats the last line. */
    static String summary(double usecPerIteration) {
        double faster = KERNEL_USEC_PER_ITERATION / usecPerIteration;
        return String.format(
                Locale.ROOT,
                "demo: every byte was right; %.2f usec/iter, where kernel Soft-RoCE printed %.1f on another machine:"
                        + " %s",
                usecPerIteration,
                KERNEL_USEC_PER_ITERATION,
                faster >= 1
                        ? String.format(Locale.ROOT, "%.2f times as fast", faster)
                        : String.format(Locale.ROOT, "%.2f times as long; is this machine busy?", 1 / faster));
    }

    private static List<String> pingPong(String... arguments) {
        List<String> words = new ArrayList<>(PING_PONG);
        words.addAll(List.of(arguments));
        return words;
    }

    /** Returns a free TCP port, so that the demo does not meet another ping-pong. */
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
