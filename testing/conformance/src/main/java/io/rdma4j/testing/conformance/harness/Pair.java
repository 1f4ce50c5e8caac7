package io.rdma4j.testing.conformance.harness;

/** Two endpoints that are connected, or will be. */
public record Pair(Endpoint a, Endpoint b) {
    public void connect(LinkSetup link) {
        a.connectTo(b, link);
        b.connectTo(a, link);
    }
}
