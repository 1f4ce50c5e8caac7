package io.rdma4j.uverbs.abi;

import io.rdma4j.base.RdmaException;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** Virtual threads that repeat something until a connection ends: the one place of this module that starts threads. */
public final class Worker {
    private static final System.Logger LOG = System.getLogger(Worker.class.getName());

    private Worker() {}

    /** What is repeated. */
    @FunctionalInterface
    public interface Step {
        /**
         * Does it once, perhaps after having waited for something to do.
         *
         * @throws IOException or another of these, if there is no use in going on
         * @throws InterruptedException if the worker is to end
         */
        void run() throws IOException, InterruptedException;
    }

    /**
     * Starts one.
     *
     * @param name for those who look at threads
     * @param step called again and again
     * @param atEnd runs on it when a step has failed, for whatever reason
     * @return the thread; interrupting it ends it
     */
    public static Thread start(String name, Step step, Runnable atEnd) {
        return Thread.ofVirtual().name(name).start(() -> {
            try {
                while (true) {
                    step.run();
                }
            } catch (IOException | InterruptedException | RdmaException e) {
                // The other end is gone, or what it says makes no sense: the connection is over.
            } catch (Throwable e) {
                LOG.log(Level.WARNING, name + " ends by an unforeseen error", e);
            } finally {
                atEnd.run();
            }
        });
    }
}
