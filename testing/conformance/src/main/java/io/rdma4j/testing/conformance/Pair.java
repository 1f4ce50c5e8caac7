package io.rdma4j.testing.conformance;

/** Two endpoints that are, or are to be, connected to each other. */
record Pair(Endpoint a, Endpoint b) {
    void connect(LinkSetup link) {
        a.connectTo(b, link);
        b.connectTo(a, link);
    }
}
