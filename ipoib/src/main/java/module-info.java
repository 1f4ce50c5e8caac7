// SPDX-License-Identifier: Apache-2.0
/** IP over InfiniBand (RFC 4391): network devices over UD queue pairs. */
module io.rdma4j.ipoib {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.mad;
    requires io.rdma4j.sa;
    requires static org.jspecify;

    exports io.rdma4j.ipoib;
}
