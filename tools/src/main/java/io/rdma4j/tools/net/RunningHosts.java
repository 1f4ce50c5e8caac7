// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import io.rdma4j.base.RdmaException;
import io.rdma4j.netlab.topology.ConfigWords;
import io.rdma4j.rdmacm.RdmaIdState;
import io.rdma4j.tools.cli.Command;
import io.rdma4j.tools.cli.UsageException;
import io.rdma4j.verbs.Host;
import io.rdma4j.verbs.values.ResourceKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hosts of a topology file in this process, and the programs that run on them. */
abstract class RunningHosts implements AutoCloseable {
    /** Tools exchange addresses by TCP of the operating system, where all hosts have this address. */
    private static final String WAY_TO_A_HOST = "127.0.0.1";

    private static final int FAILED = 1;

    private final ToolFinder tools;

    RunningHosts(ToolFinder tools) {
        this.tools = tools;
    }

    ToolFinder tools() {
        return tools;
    }

    /** Name of the first host in the file; empty if there is none. */
    abstract String firstHost();

    abstract boolean isHost(String word);

    /** The RDMA devices of a host; null if there is no such host. */
    abstract @Nullable Host rdma(String host);

    /** The address that stands for the name of a host among the arguments of a tool. */
    String wayTo(String host, String tool) {
        return WAY_TO_A_HOST;
    }

    /** The line that begins a session. */
    abstract String title();

    /** Runs a program of a command line. */
    abstract int run(HostTask program, PrintWriter out);

    /** Runs a program of a session. */
    abstract int runLine(HostTask program, PrintWriter out);

    /** Returns true for a line that ends the session. */
    abstract boolean isEnd(String line);

    @Override
    public abstract void close() throws IOException;

    /**
     * Runs programs in parallel until all have ended. Each starts when the one before has printed a line, listens for
     * connections of rdma_cm, or has ended.
     *
     * @return the first exit code, in their order, that is not 0; else 0
     */
    int run(List<HostTask> programs, PrintWriter out) throws InterruptedException {
        List<HostTaskRun> runs = new ArrayList<>();
        for (HostTask program : programs) {
            HostTaskRun next = new HostTaskRun(program.host(), out, to -> run(program, to));
            long before = listeners(program.host());
            next.start();
            next.awaitSign(() -> listeners(program.host()) > before);
            runs.add(next);
        }
        int exit = 0;
        for (HostTaskRun run : runs) {
            int code = run.awaitEnd();
            exit = exit == 0 ? code : exit;
        }
        return exit;
    }

    /** The number of ids of rdma_cm that listen on a host. */
    private long listeners(String host) {
        Host devices = rdma(host);
        return devices == null
                ? 0
                : devices.devices().stream()
                        .flatMap(device -> device.resources().stream())
                        .filter(resource -> resource.kind() == ResourceKind.CM_ID
                                && RdmaIdState.LISTEN.equals(resource.details().get("state")))
                        .count();
    }

    /**
     * Runs one program per line, one after the other, until the end of the input or {@code exit}. In a shell that
     * {@code bash} has opened, {@code exit} ends that shell only.
     */
    int runLines(BufferedReader in, PrintWriter out) throws IOException {
        out.println(title());
        int exit = 0;
        for (String line = in.readLine(); line != null && !isEnd(line); line = in.readLine()) {
            List<String> words = ConfigWords.split(line);
            if (!words.isEmpty()) {
                exit = runLine(HostTask.parse(words, firstHost()), out);
            }
        }
        return exit;
    }

    /** Runs a tool; names of hosts among its arguments stand for the way to them. */
    int runTool(Command tool, HostTask program, PrintWriter out) {
        String name = program.words().getFirst();
        String[] arguments = program.words().stream()
                .skip(1)
                .map(word -> isHost(word) ? wayTo(word, name) : word)
                .toArray(String[]::new);
        try {
            return tool.run(arguments, out, out);
        } catch (UsageException e) {
            out.println(name + ": " + e.getMessage());
            return e.exitCode();
        } catch (RdmaException | IOException e) {
            out.println(name + ": " + e.getMessage());
            return FAILED;
        } catch (Exception e) {
            e.printStackTrace(out);
            return FAILED;
        }
    }
}
