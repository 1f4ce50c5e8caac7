// SPDX-License-Identifier: Apache-2.0
/** The event loop of a host: it drives the devices, timers and clients. */
module io.rdma4j.loop {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.net;
    requires jdk.net;
    requires static org.jspecify;

    exports io.rdma4j.loop;
    exports io.rdma4j.loop.socket to
            io.rdma4j.links,
            io.rdma4j.udp;
}
