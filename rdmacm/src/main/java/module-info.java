// SPDX-License-Identifier: Apache-2.0
/** Connections by IP address and port: rdma_cm. */
module io.rdma4j.rdmacm {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.cm;
    requires io.rdma4j.mad;
    requires io.rdma4j.sa;
    requires io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.rdmacm;
    exports io.rdma4j.rdmacm.connection;
    exports io.rdma4j.rdmacm.host;
}
