// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The guest: serial ports that take commands. One port is for short commands, each of the others for one program at a
 * time. One thread.
 */
public final class Guest implements AutoCloseable {
    /** Number of serial ports. */
    static final int PORTS = 4;

    private static final char END = '\4';
    private static final Duration AT_ONCE = Duration.ofSeconds(60);

    private final List<LineSocket> lines = new ArrayList<>();
    private final boolean[] busy = new boolean[PORTS];

    /** Connects to the serial ports of a guest whose agent runs. */
    Guest(Path directory) throws IOException {
        for (int port = 0; port < PORTS; port++) {
            lines.add(LineSocket.connect(socket(directory, port)));
        }
    }

    static Path socket(Path directory, int port) {
        return directory.resolve("port" + port);
    }

    /** Runs a shell command to its end. */
    public Output run(String command) throws IOException {
        lines.getFirst().send(oneLine(command));
        return result(lines.getFirst(), AT_ONCE);
    }

    /**
     * Runs a shell command that must succeed.
     *
     * @return its output
     */
    public String succeed(String command) throws IOException {
        Output output = run(command);
        if (!output.ok()) {
            throw new LabException(
                    "in the guest '" + command + "' ended with " + output.exitCode() + ": " + output.text());
        }
        return output.text();
    }

    /** Writes a small file. */
    public void put(String path, byte[] content) throws IOException {
        succeed("echo " + Base64.getEncoder().encodeToString(content) + " | base64 -d > " + path);
    }

    /**
     * Starts a program.
     *
     * @param limit the program is killed after this time
     */
    public Running start(String command, Duration limit) throws IOException {
        int port = freePort();
        String guarded =
                "echo $$ > /run/port" + port + "; exec timeout -s KILL " + limit.toSeconds() + " " + oneLine(command);
        lines.get(port).send(guarded);
        return new GuestProgram(port);
    }

    /** Starts a program that communicates over its standard input and output. */
    public Talk talk(String command) throws IOException {
        int port = freePort();
        lines.get(port).send("echo $$ > /run/port" + port + "; exec " + oneLine(command));
        return new GuestTalk(port);
    }

    private int freePort() throws IOException {
        for (int port = 1; port < PORTS; port++) {
            if (!busy[port]) {
                busy[port] = true;
                return port;
            }
        }
        throw new LabException("all serial ports of the guest are busy");
    }

    private static String oneLine(String command) {
        return command.replace('\n', ' ');
    }

    private static Output result(LineSocket line, Duration limit) throws IOException {
        StringBuilder text = new StringBuilder();
        long end = System.nanoTime() + limit.toNanos();
        while (true) {
            String next = line.receive(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            if (next == null) {
                throw new LabException("the guest does not answer; so far: " + text);
            }
            int mark = next.indexOf(END);
            if (mark >= 0) {
                text.append(next, 0, mark);
                return new Output(Integer.parseInt(next.substring(mark + 1)), text.toString());
            }
            text.append(next).append('\n');
        }
    }

    private void kill(int port) throws IOException {
        if (busy[port]) {
            // timeout(1) leads a separate process group, other programs do not
            run("kill -KILL -$(cat /run/port" + port + ") || kill -KILL $(cat /run/port" + port + ")");
            result(lines.get(port), AT_ONCE);
            busy[port] = false;
        }
    }

    @Override
    public void close() throws IOException {
        for (LineSocket line : lines) {
            line.close();
        }
    }

    private final class GuestTalk implements Talk {
        private final int port;

        GuestTalk(int port) {
            this.port = port;
        }

        @Override
        public void send(String text) throws IOException {
            lines.get(port).send(text);
        }

        @Override
        public @Nullable String receive(Duration limit) throws IOException {
            String line = lines.get(port).receive(limit);
            if (line != null && line.indexOf(END) >= 0) {
                busy[port] = false;
                throw new LabException("the program in the guest has ended: " + line);
            }
            return line;
        }

        @Override
        public void close() throws IOException {
            kill(port);
        }
    }

    private final class GuestProgram implements Running {
        private final int port;

        GuestProgram(int port) {
            this.port = port;
        }

        @Override
        public void awaitListening(int tcpPort, Duration limit) throws IOException {
            String pattern = String.format(":%04X [0-9A-F:]* 0A ", tcpPort);
            succeed("i=0; until grep -q '" + pattern + "' /proc/net/tcp /proc/net/tcp6; do i=$((i+1)); [ $i -lt "
                    + limit.toMillis() / 50 + " ] || exit 1; sleep 0.05; done");
        }

        @Override
        public Output await(Duration limit) throws IOException {
            Output output = result(lines.get(port), limit.plus(AT_ONCE));
            busy[port] = false;
            return output;
        }

        @Override
        public void close() throws IOException {
            kill(port);
        }
    }
}
