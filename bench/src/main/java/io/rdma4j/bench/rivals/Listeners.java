// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.rivals;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Finds free TCP ports of this machine, and whether a process listens on a port. It does not connect, because a server
 * may accept one client only.
 */
final class Listeners {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final String LISTEN = "0A";
    private static final long PAUSE_MS = 5;

    /** Wait time if there is no table of sockets. */
    private static final long BLIND_MS = 2000;

    private Listeners() {}

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Waits until a process listens; false if the server ends or the timeout elapses before. */
    static boolean await(int port, Process server, long timeoutNs) throws IOException, InterruptedException {
        if (!Files.isReadable(TABLES.getFirst())) {
            TimeUnit.MILLISECONDS.sleep(BLIND_MS);
            return server.isAlive();
        }
        long end = System.nanoTime() + timeoutNs;
        while (!isListening(port)) {
            if (!server.isAlive() || System.nanoTime() - end > 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        }
        return true;
    }

    /** Reads the table; lines have the format {@code sl local_address rem_address st …}. */
    private static boolean isListening(int port) throws IOException {
        String local = String.format(Locale.ROOT, ":%04X", port);
        for (Path table : TABLES) {
            for (String line : Files.isReadable(table) ? Files.readAllLines(table) : List.<String>of()) {
                List<String> words = SPACE.splitAsStream(line.strip()).toList();
                if (words.size() > STATE
                        && words.get(LOCAL).endsWith(local)
                        && words.get(STATE).equals(LISTEN)) {
                    return true;
                }
            }
        }
        return false;
    }
}
