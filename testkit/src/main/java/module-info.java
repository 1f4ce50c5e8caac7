// SPDX-License-Identifier: Apache-2.0
/** The test kit: hosts with RDMA devices on a network with faults, as parameters of JUnit tests. */
module io.rdma4j.testkit {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.links;
    requires transitive io.rdma4j.loop;
    requires transitive io.rdma4j.netlab;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.testing.endpoint;
    requires transitive io.rdma4j.verbs;
    requires transitive org.junit.jupiter.api;
    requires io.rdma4j.testing.sim;
    requires io.rdma4j.transport;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.rdma4j.testkit;
}
