// SPDX-License-Identifier: Apache-2.0
/** Tools for the developers of rdma4j: the feature ledger, the simulator, and scenarios with Linux. */
module io.rdma4j.devtools {
    requires io.rdma4j.base;
    requires io.rdma4j.netlab;
    requires io.rdma4j.interop;
    requires io.rdma4j.net;
    requires io.rdma4j.links;
    requires io.rdma4j.testing.ledger;
    requires io.rdma4j.testing.sim;
    requires io.rdma4j.tools;
    requires io.rdma4j.verbs;
    requires HdrHistogram;
    requires static org.jspecify;

    provides io.rdma4j.tools.cli.ToolSource with
            io.rdma4j.devtools.DeveloperTools;
}
