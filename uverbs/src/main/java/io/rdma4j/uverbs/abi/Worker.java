// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.uverbs.abi;

import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.lang.System.Logger.Level;

/**
 * Starts virtual threads that repeat a step until a connection ends, or run it once. No other class of this module
 * starts threads.
 */
public final class Worker {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private Worker() {}

    /** The repeated work of a thread. */
    @FunctionalInterface
    public interface Step {
        /**
         * Runs once; may wait for input first.
         *
         * @throws IOException to end the thread, because the connection has ended; RdmaException has the same effect
         * @throws InterruptedException to end the thread after an interrupt
         */
        void run() throws IOException, InterruptedException;
    }

    /**
     * Starts a virtual thread.
     *
     * @param name name of the thread
     * @param step called repeatedly until it throws
     * @param atEnd runs on the thread after a step has thrown
     * @return the thread; an interrupt ends it
     */
    public static Thread start(String name, Step step, Runnable atEnd) {
        return Thread.ofVirtual().name(name).start(() -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (IOException | InterruptedException | RdmaException e) {
                // The peer has closed the connection or sent a malformed frame.
            } catch (Throwable e) {
                LOG.log(Level.WARNING, name + " ends by an unforeseen error", e);
            } finally {
                atEnd.run();
            }
        });
    }

    /**
     * Runs a step once on a virtual thread. It ends as those of {@link #start}.
     *
     * @param name name of the thread
     * @param step called once
     */
    public static void run(String name, Step step) {
        start(
                name,
                () -> {
                    step.run();
                    throw new InterruptedException(name + " runs once");
                },
                () -> {});
    }
}
