package io.rdma4j.verbs;

/** Family of protocols a device speaks. Answers to {@code enum ibv_transport_type}; RoCE counts as {@link #IB}. */
public enum TransportType {
    /** {@code IBV_TRANSPORT_UNKNOWN}: of nodes that are unknown. */
    UNKNOWN(-1, "invalid transport"),
    /** {@code IBV_TRANSPORT_IB}: the transport of the InfiniBand specification, over whatever link. */
    IB(0, "InfiniBand"),
    /** {@code IBV_TRANSPORT_IWARP}: RDMA over TCP. */
    IWARP(1, "iWARP"),
    /** {@code IBV_TRANSPORT_USNIC}: Cisco's own, over Ethernet. */
    USNIC(2, "usNIC"),
    /** {@code IBV_TRANSPORT_USNIC_UDP}: Cisco's own, over UDP. */
    USNIC_UDP(3, "usNIC UDP"),
    /** {@code IBV_TRANSPORT_UNSPECIFIED}: none of these, by intent. */
    UNSPECIFIED(4, "unspecified");

    private final int code;
    private final String text;

    TransportType(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return it as {@code ibv_devinfo} prints it} */
    public String text() {
        return text;
    }
}
