// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A program that exchanges lines of text. Closing kills it. One thread. */
public interface Talk extends AutoCloseable {
    /** Sends a line; appends the line end. */
    void send(String text) throws IOException;

    /**
     * Returns the next line without its end.
     *
     * @return null if none arrives in time
     * @throws LabException if the program has ended
     */
    @Nullable
    String receive(Duration limit) throws IOException;

    @Override
    void close() throws IOException;
}
