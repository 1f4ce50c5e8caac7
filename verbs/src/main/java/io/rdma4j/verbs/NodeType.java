package io.rdma4j.verbs;

/** Kind of node a device is. Answers to {@code enum ibv_node_type}. */
public enum NodeType {
    UNKNOWN(-1, "unknown", TransportType.UNKNOWN),
    CA(1, "InfiniBand channel adapter", TransportType.IB),
    SWITCH(2, "InfiniBand switch", TransportType.IB),
    ROUTER(3, "InfiniBand router", TransportType.IB),
    RNIC(4, "iWARP NIC", TransportType.IWARP),
    USNIC(5, "usNIC", TransportType.USNIC),
    USNIC_UDP(6, "usNIC UDP", TransportType.USNIC_UDP),
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
