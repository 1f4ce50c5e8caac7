package io.rdma4j.verbs;

/** Transport service of a queue pair. Answers to {@code enum ibv_qp_type}. */
public enum QpType {
    /** Subnet management, QP0. */
    SMI(0, "SMI"),
    /** General services, QP1. */
    GSI(1, "GSI"),
    /** Reliable connection. */
    RC(2, "RC"),
    /** Unreliable connection. */
    UC(3, "UC"),
    /** Unreliable datagram. */
    UD(4, "UD"),
    /** IPv6 packets as they are: raw IPv6 datagrams. */
    RAW_IPV6(5, "RAW_IPV6"),
    /** Ethernet frames of one EtherType as they are: raw EtherType datagrams. */
    RAW_ETHERTYPE(6, "RAW_ETHERTYPE"),
    /** Ethernet frames of any kind as they are. */
    RAW_PACKET(8, "RAW_PACKET"),
    /** Extended reliable connection, sending side ({@code IBV_QPT_XRC_SEND}). */
    XRC_INI(9, "XRC_INI"),
    /** Extended reliable connection, receiving side ({@code IBV_QPT_XRC_RECV}). */
    XRC_TGT(10, "XRC_TGT"),
    /** Of the device's own kind: the core knows no more of it than its states, and posts nothing to it. */
    DRIVER(0xFF, "DRIVER");

    private final int code;
    private final String text;

    QpType(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /**
     * {@return true for the types whose packets the device neither makes nor reads: it has no address handles and
     * numbers for them}
     */
    public boolean isRaw() {
        return this == RAW_IPV6 || this == RAW_ETHERTYPE || this == RAW_PACKET;
    }

    /** {@return true for the types whose queue pairs talk to one peer each} */
    public boolean isConnected() {
        return this == RC || this == UC || this == XRC_INI || this == XRC_TGT;
    }

    /** {@return false for the two XRC types: their messages go to shared receive queues only} */
    public boolean hasReceiveQueue() {
        return this != XRC_INI && this != XRC_TGT;
    }

    /** {@return it as tools print it} */
    public String text() {
        return text;
    }
}
