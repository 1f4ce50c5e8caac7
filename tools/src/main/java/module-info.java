/** The command line: one class a command. Parses, calls the library, prints. */
module io.rdma4j.tools {
    requires io.rdma4j.base;
    requires io.rdma4j.control;
    requires io.rdma4j.interop;
    requires io.rdma4j.net;
    requires io.rdma4j.verbs;
    requires io.rdma4j.rxe;
    requires io.rdma4j.uverbs;
    requires io.rdma4j.testing.ledger;
    requires io.rdma4j.testing.sim;
    requires io.rdma4j.wire;
    requires HdrHistogram;
    requires java.logging;
    requires java.management;
    requires static org.jspecify;

    exports io.rdma4j.tools to
            java.logging;
    exports io.rdma4j.tools.cli to
            io.rdma4j.bench;
    exports io.rdma4j.tools.report to
            io.rdma4j.bench;
}
