// SPDX-License-Identifier: Apache-2.0
/** Drivers with native Linux calls; the only module that makes native calls. */
module io.rdma4j.linux {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires static org.jspecify;

    exports io.rdma4j.linux;
    exports io.rdma4j.linux.call to
            io.rdma4j.udp;
}
