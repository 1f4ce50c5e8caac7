// SPDX-License-Identifier: Apache-2.0
/** Links and switches of an InfiniBand subnet; without threads, clocks and sockets. */
module io.rdma4j.fabric {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.fabric;
    exports io.rdma4j.fabric.pma;
    exports io.rdma4j.fabric.sma;
}
