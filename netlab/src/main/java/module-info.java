// SPDX-License-Identifier: Apache-2.0
/**
 * Machines and networks inside the JVM, configured and shown by the commands {@code ip}, {@code ethtool}, {@code tc}
 * and {@code rdma}.
 */
module io.rdma4j.netlab {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.loop;
    requires transitive io.rdma4j.links;
    requires transitive io.rdma4j.ip;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.transport;
    requires io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.netlab;
    exports io.rdma4j.netlab.command;
    exports io.rdma4j.netlab.command.rdma;
    exports io.rdma4j.netlab.command.shell;
    exports io.rdma4j.netlab.network;
    exports io.rdma4j.netlab.topology;
}
