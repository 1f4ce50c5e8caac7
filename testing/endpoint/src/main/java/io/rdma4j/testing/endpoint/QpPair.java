// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.endpoint;

/**
 * Two endpoints that are connected to each other, or will be.
 *
 * @param a one endpoint
 * @param b the other endpoint
 */
public record QpPair(Endpoint a, Endpoint b) implements AutoCloseable {
    /**
     * Moves both queue pairs from RESET to RTS.
     *
     * @param link attributes of the connection
     */
    public void connect(LinkSetup link) {
        a.connectTo(b, link);
        b.connectTo(a, link);
    }

    /** Closes both endpoints. */
    @Override
    public void close() {
        a.close();
        b.close();
    }
}
