// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.interop.lab;

import java.io.IOException;
import java.time.Duration;

/** A running program, in the guest or on this machine. Closing kills it. One thread. */
public interface Running extends AutoCloseable {
    /**
     * Waits until a process on its machine listens on a TCP port.
     *
     * @throws LabException if that takes longer than {@code limit}
     */
    void awaitListening(int port, Duration limit) throws IOException;

    /** Waits for its end. Kills it after {@code limit}; the exit code is then {@link Output#TIMED_OUT}. */
    Output await(Duration limit) throws IOException;

    @Override
    void close() throws IOException;
}
