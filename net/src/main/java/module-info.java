/** The network device layer (net_device) and its drivers. */
module io.rdma4j.net {
    requires transitive io.rdma4j.base;
    requires transitive io.rdma4j.packet;
    requires io.rdma4j.wire;
    requires jdk.jfr;
    requires jdk.net;
    requires static org.jspecify;

    exports io.rdma4j.net.address;
    exports io.rdma4j.net.device;
    exports io.rdma4j.net.ethtool;
    exports io.rdma4j.net.feature;
    exports io.rdma4j.net.filter;
    exports io.rdma4j.net.ip;
    exports io.rdma4j.net.ip.neighbour;
    exports io.rdma4j.net.ip.route;
    exports io.rdma4j.net.link;
    exports io.rdma4j.net.link.qemu;
    exports io.rdma4j.net.linux;
    exports io.rdma4j.net.loop;
    exports io.rdma4j.net.ns;
    exports io.rdma4j.net.receive;
    exports io.rdma4j.net.sched;
    exports io.rdma4j.net.skb;
    exports io.rdma4j.net.transmit;
    exports io.rdma4j.net.udp;
    exports io.rdma4j.net;

    uses io.rdma4j.net.ns.LinkKind;

    provides io.rdma4j.net.ns.LinkKind with
            io.rdma4j.net.link.BondKind,
            io.rdma4j.net.link.BridgeKind,
            io.rdma4j.net.link.DummyKind,
            io.rdma4j.net.link.MacvlanKind,
            io.rdma4j.net.link.TeamKind,
            io.rdma4j.net.link.VethKind,
            io.rdma4j.net.link.VlanKind,
            io.rdma4j.net.link.VxlanKind;
}
