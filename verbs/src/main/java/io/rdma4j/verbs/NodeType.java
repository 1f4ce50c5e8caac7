package io.rdma4j.verbs;

/** Kind of node a device is. Answers to {@code enum ibv_node_type}. */
public enum NodeType {
    /** {@code IBV_NODE_UNKNOWN}: none of the others, or the device does not say. */
    UNKNOWN(-1, "unknown", TransportType.UNKNOWN),
    /** {@code IBV_NODE_CA}: a channel adapter; what RoCE devices say, too. */
    CA(1, "InfiniBand channel adapter", TransportType.IB),
    /** {@code IBV_NODE_SWITCH}: the management port of a switch. */
    SWITCH(2, "InfiniBand switch", TransportType.IB),
    /** {@code IBV_NODE_ROUTER}: the management port of a router between subnets. */
    ROUTER(3, "InfiniBand router", TransportType.IB),
    /** {@code IBV_NODE_RNIC}: an adapter that speaks RDMA over TCP. */
    RNIC(4, "iWARP NIC", TransportType.IWARP),
    /** {@code IBV_NODE_USNIC}: Cisco's, with a protocol of its own. */
    USNIC(5, "usNIC", TransportType.USNIC),
    /** {@code IBV_NODE_USNIC_UDP}: the same over UDP. */
    USNIC_UDP(6, "usNIC UDP", TransportType.USNIC_UDP),
    /** {@code IBV_NODE_UNSPECIFIED}: a device that has verbs for its own purposes and speaks no RDMA protocol. */
    UNSPECIFIED(7, "unspecified", TransportType.UNSPECIFIED);

    private final int code;
    private final String text;
    private final TransportType transport;

    NodeType(int code, String text, TransportType transport) {
        this.code = code;
        this.text = text;
        this.transport = transport;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return what {@code ibv_node_type_str} says} */
    public String text() {
        return text;
    }

    /** {@return the transport a node of this kind speaks} Answers to {@code rdma_node_get_transport}. */
    public TransportType transport() {
        return transport;
    }
}
