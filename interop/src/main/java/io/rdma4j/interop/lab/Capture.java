// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Captures all frames to and from the guest, without truncation, in a file: tcpdump at the guest's interface. */
public final class Capture implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(20);

    /** The kernel delivers captured frames in blocks, at most one second after the first frame of a block. */
    private static final Duration LAST_FRAMES = Duration.ofMillis(1200);

    private static final Duration POLL = Duration.ofMillis(50);
    private static final String KIB_FOR_THE_KERNEL = "65536";

    private final Process process;
    private final Path log;

    private Capture(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static Capture start(String namespace, Path tools, Path file) throws IOException {
        Path log = file.resolveSibling(file.getFileName() + ".log");
        Process process = new ProcessBuilder(
                        "ip",
                        "netns",
                        "exec",
                        namespace,
                        "chroot",
                        tools.toString(),
                        "tcpdump",
                        "-i",
                        Wiring.GUEST_TAP,
                        "-s",
                        "0",
                        "-B",
                        KIB_FOR_THE_KERNEL,
                        "-Z",
                        "root",
                        "-U",
                        "-w",
                        "-",
                        "not tcp")
                .redirectOutput(file.toFile())
                .redirectError(log.toFile())
                .start();
        long end = System.nanoTime() + START.toNanos();
        while (!Files.readString(log).contains("listening on")) {
            if (System.nanoTime() > end || !process.isAlive()) {
                throw new LabException("tcpdump does not run: " + Files.readString(log));
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return new Capture(process, log);
    }

    /** Ends the capture; the file contains all frames then. */
    @Override
    public void close() throws IOException {
        LockSupport.parkNanos(LAST_FRAMES.toNanos());
        process.destroy();
        HostCommands.await(process, START);
        Files.deleteIfExists(log);
    }
}
