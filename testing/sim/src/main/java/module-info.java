// SPDX-License-Identifier: Apache-2.0
/** Simulates hosts on a seeded network in virtual time, with checkers of their memory, completions and counters. */
module io.rdma4j.testing.sim {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.netlab;
    requires io.rdma4j.wire;
    requires io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires transitive io.rdma4j.links;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.transport;
    requires transitive io.rdma4j.rxe;
    requires io.rdma4j.rdmacm;
    requires static org.jspecify;

    exports io.rdma4j.testing.sim;
    exports io.rdma4j.testing.sim.run;
    exports io.rdma4j.testing.sim.world;
}
