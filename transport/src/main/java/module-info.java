// SPDX-License-Identifier: Apache-2.0
/** The IBA transport engine: no thread, no clock, no socket. */
module io.rdma4j.transport {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires transitive io.rdma4j.verbs;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.rdma4j.transport;
    exports io.rdma4j.transport.event;
    exports io.rdma4j.transport.memory;
    exports io.rdma4j.transport.port;
}
