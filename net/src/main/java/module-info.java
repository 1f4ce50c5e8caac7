// SPDX-License-Identifier: Apache-2.0
/** The network device layer (net_device): devices, namespaces, queueing disciplines. */
module io.rdma4j.net {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.packet;
    requires io.rdma4j.wire;
    requires jdk.jfr;
    requires static org.jspecify;

    exports io.rdma4j.net.address;
    exports io.rdma4j.net.device;
    exports io.rdma4j.net.ethtool;
    exports io.rdma4j.net.feature;
    exports io.rdma4j.net.ns;
    exports io.rdma4j.net.receive;
    exports io.rdma4j.net.sched;
    exports io.rdma4j.net.skb;
    exports io.rdma4j.net.transmit;
    exports io.rdma4j.net;

    uses io.rdma4j.net.ns.LinkKind;
}
