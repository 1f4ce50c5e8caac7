// SPDX-License-Identifier: Apache-2.0
/** Management datagrams: agents, RMPP, redirection, and the general services queue pair of a port. */
module io.rdma4j.mad {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.mad;
    exports io.rdma4j.mad.gsi;
    exports io.rdma4j.mad.umad;
    exports io.rdma4j.mad.rmpp to
            io.rdma4j.sm;
}
