// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.tools.perftest;

import io.rdma4j.tools.peer.ToolFailure;
import java.io.IOException;
import java.net.InetAddress;

/** Carries the messages of the exchange between the two ends of a test. One thread. */
interface PeerLink extends AutoCloseable {
    /** Sends a message and returns the peer's of the same length; the client sends first. */
    byte[] swap(byte[] mine) throws IOException, ToolFailure, InterruptedException;

    /** True if addresses are C structs; false if they are text. */
    boolean isBinary();

    /** Removes the limit of the wait for a message, since a test may take long. */
    void waitWithoutLimit() throws IOException;

    /** Ends the exchange. */
    void done() throws IOException;

    InetAddress localAddress();

    InetAddress peerAddress();

    @Override
    void close() throws IOException;
}
