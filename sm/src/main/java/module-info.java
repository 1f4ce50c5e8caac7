// SPDX-License-Identifier: Apache-2.0
/** A subnet manager and a subnet administrator; without threads, clocks and sockets. */
module io.rdma4j.sm {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.mad;
    requires io.rdma4j.verbs;
    requires io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.sm;
    exports io.rdma4j.sm.admin to
            io.rdma4j.ib;
    exports io.rdma4j.sm.sweep to
            io.rdma4j.ib;
}
