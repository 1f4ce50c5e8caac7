/** The kit that every provider of the verbs must pass. */
module io.rdma4j.testing.conformance {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.verbs;
    requires static org.jspecify;

    exports io.rdma4j.testing.conformance;
}
