/**
 * Machines and networks inside the JVM, configured and shown by the commands {@code ip}, {@code ethtool}, {@code tc}
 * and {@code rdma}.
 */
module io.rdma4j.control {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.net;
    requires transitive io.rdma4j.rxe;
    requires transitive io.rdma4j.verbs;
    requires transitive io.rdma4j.transport;
    requires io.rdma4j.wire;
    requires static org.jspecify;

    exports io.rdma4j.control;
    exports io.rdma4j.control.command;
    exports io.rdma4j.control.command.rdma;
    exports io.rdma4j.control.command.shell;
    exports io.rdma4j.control.network;
    exports io.rdma4j.control.topology;
}
