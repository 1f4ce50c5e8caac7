package io.rdma4j.interop.lab;

import java.io.IOException;
import java.time.Duration;

/** A program that runs, in the guest or beside it. Closing ends it as {@code kill -9} does. One thread. */
public interface Running extends AutoCloseable {
    /**
     * Waits until somebody on its machine listens on a TCP port.
     *
     * @throws LabException if that takes too long
     */
    void awaitListening(int port, Duration limit) throws IOException;

    /** Waits for its end; ends it when the time is over, {@link Output#TIMED_OUT} is its exit code then. */
    Output await(Duration limit) throws IOException;

    @Override
    void close() throws IOException;
}
