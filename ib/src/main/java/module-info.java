// SPDX-License-Identifier: Apache-2.0
/** InfiniBand devices on a subnet inside the JVM. */
module io.rdma4j.ib {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.fabric;
    requires transitive io.rdma4j.loop;
    requires transitive io.rdma4j.sm;
    requires io.rdma4j.packet;
    requires transitive io.rdma4j.verbs;
    requires io.rdma4j.wire;
    requires io.rdma4j.transport;
    requires io.rdma4j.hca;
    requires static org.jspecify;

    exports io.rdma4j.ib;
    exports io.rdma4j.ib.topology;
    exports io.rdma4j.ib.umad2sim;
}
