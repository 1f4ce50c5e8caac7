package io.rdma4j.verbs;

/** Family of protocols a device speaks. Answers to {@code enum ibv_transport_type}; RoCE counts as {@link #IB}. */
public enum TransportType {
    UNKNOWN(-1, "invalid transport"),
    IB(0, "InfiniBand"),
    IWARP(1, "iWARP"),
    USNIC(2, "usNIC"),
    USNIC_UDP(3, "usNIC UDP"),
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

    /** As {@code ibv_devinfo} prints it. */
    public String text() {
        return text;
    }
}
