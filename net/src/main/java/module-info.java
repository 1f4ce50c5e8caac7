/** The network device layer (net_device) and its drivers. */
module io.rdma4j.net {
    requires transitive io.rdma4j.base;
    requires io.rdma4j.wire;
    requires transitive io.rdma4j.packet;
    requires static org.jspecify;

    exports io.rdma4j.net;
}
