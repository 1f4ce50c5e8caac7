package io.rdma4j.interop.lab;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A program that is talked to in lines of text. Closing kills it. One thread. */
public interface Talk extends AutoCloseable {
    /** Sends a line; its end is added. */
    void send(String text) throws IOException;

    /**
     * The next line without its end.
     *
     * @return null if none comes in time
     * @throws LabException if the program has gone
     */
    @Nullable
    String receive(Duration limit) throws IOException;

    @Override
    void close() throws IOException;
}
