// SPDX-License-Identifier: Apache-2.0
/** The IP stack of a network namespace, and its packet filter. */
module io.rdma4j.ip {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires static org.jspecify;

    exports io.rdma4j.ip;
    exports io.rdma4j.ip.filter;
    exports io.rdma4j.ip.neighbour;
    exports io.rdma4j.ip.route;
}
