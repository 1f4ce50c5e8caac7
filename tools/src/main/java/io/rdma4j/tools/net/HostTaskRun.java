// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.net;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.function.ToIntFunction;

/** Runs a program in a separate thread. Prefixes each line of its output with the name of its host. */
final class HostTaskRun {
    private static final int FAILED = 1;

    private final String label;
    private final PrintWriter target;
    private final Thread thread;
    private boolean sign;
    private int exit = FAILED;

    /** @param body the program: prints to the writer and returns the exit code */
    HostTaskRun(String label, PrintWriter target, ToIntFunction<PrintWriter> body) {
        this.label = label;
        this.target = target;
        this.thread = Thread.ofPlatform().daemon().name("program on " + label).unstarted(() -> {
            try (PrintWriter out = new PrintWriter(new Lines(), true)) {
                exit = body.applyAsInt(out);
            } finally {
                giveSign();
            }
        });
    }

    void start() {
        thread.start();
    }

    private synchronized void giveSign() {
        sign = true;
        notifyAll();
    }

    /** Waits until the program has printed a line, or has ended. */
    synchronized void awaitSign() throws InterruptedException {
        while (!sign) {
            wait();
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
            giveSign();
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
