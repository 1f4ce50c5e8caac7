// SPDX-License-Identifier: Apache-2.0
/** The command line tools, one class for each command. A command parses its arguments, calls the library and prints. */
module io.rdma4j.tools {
    requires io.rdma4j.base;
    requires io.rdma4j.ib;
    requires io.rdma4j.ipoib;
    requires io.rdma4j.netlab;
    requires io.rdma4j.net;
    requires io.rdma4j.loop;
    requires io.rdma4j.mad;
    requires io.rdma4j.verbs;
    requires io.rdma4j.rxe;
    requires io.rdma4j.uverbs;
    requires io.rdma4j.rdmacm;
    requires io.rdma4j.wire;
    requires HdrHistogram;
    requires java.logging;
    requires java.management;
    requires static org.jspecify;

    exports io.rdma4j.tools to
            java.logging,
            io.rdma4j.devtools;
    exports io.rdma4j.tools.cli to
            io.rdma4j.bench,
            io.rdma4j.devtools;
    exports io.rdma4j.tools.report to
            io.rdma4j.bench,
            io.rdma4j.devtools;

    uses io.rdma4j.tools.cli.ToolSource;
}
