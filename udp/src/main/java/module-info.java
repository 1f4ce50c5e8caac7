// SPDX-License-Identifier: Apache-2.0
/** Drivers that carry UDP-in-IP packets over UDP sockets of the operating system. */
module io.rdma4j.udp {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires io.rdma4j.linux;
    requires transitive io.rdma4j.shm;
    requires static org.jspecify;

    exports io.rdma4j.udp;
}
