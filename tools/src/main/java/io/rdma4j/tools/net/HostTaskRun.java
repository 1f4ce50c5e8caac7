// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/** Runs a program in a separate thread. Prefixes each line of its output with the name of its host. */
final class HostTaskRun {
    private static final int FAILED = 1;
    private static final int PAUSE_MS = 10;

    private final String label;
    private final PrintWriter target;
    private final Thread thread;
    private final CountDownLatch sign = new CountDownLatch(1);
    private int exit = FAILED;

    /** @param body the program: prints to the writer and returns the exit code */
    HostTaskRun(String label, PrintWriter target, ToIntFunction<PrintWriter> body) {
        this.label = label;
        this.target = target;
        this.thread = Thread.ofPlatform().daemon().name("program on " + label).unstarted(() -> {
            try (PrintWriter out = new PrintWriter(new Lines(), true)) {
                exit = body.applyAsInt(out);
            } finally {
                sign.countDown();
            }
        });
    }

    void start() {
        thread.start();
    }

    /** Waits until the program has printed a line, or listens, or has ended. */
    void awaitSign(BooleanSupplier listens) throws InterruptedException {
        boolean isSeen = false;
        while (!isSeen) {
            isSeen = sign.await(PAUSE_MS, TimeUnit.MILLISECONDS) || listens.getAsBoolean();
        }
    }

    /** Waits until the program has ended; returns its exit code. */
    int awaitEnd() throws InterruptedException {
        thread.join();
        return exit;
    }

    /** Passes on whole lines. */
    private final class Lines extends Writer {
        private final StringBuilder line = new StringBuilder();

        @Override
        public void write(char[] characters, int offset, int length) {
            for (int i = offset; i < offset + length; i++) {
                if (characters[i] == '\n') {
                    pass();
                } else if (characters[i] != '\r') {
                    line.append(characters[i]);
                }
            }
        }

        private void pass() {
            target.println(label + ": " + line);
            line.setLength(0);
            sign.countDown();
        }

        @Override
        public void flush() {
            target.flush();
        }

        @Override
        public void close() {
            if (!line.isEmpty()) {
                pass();
            }
        }
    }
}
