// SPDX-License-Identifier: Apache-2.0
/** The part of an RDMA device that does not depend on its link. */
module io.rdma4j.hca {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.transport;
    requires io.rdma4j.wire;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.rdma4j.hca;
    exports io.rdma4j.hca.ops;
}
