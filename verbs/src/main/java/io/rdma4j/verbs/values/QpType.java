// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Transport service of a queue pair. Corresponds to {@code enum ibv_qp_type}. */
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
    /** Raw IPv6 datagrams: the application supplies complete IPv6 packets. */
    RAW_IPV6(5, "RAW_IPV6"),
    /** Raw EtherType datagrams: the application supplies complete Ethernet frames of one EtherType. */
    RAW_ETHERTYPE(6, "RAW_ETHERTYPE"),
    /** The application supplies complete Ethernet frames of any kind. */
    RAW_PACKET(8, "RAW_PACKET"),
    /** Extended reliable connection, sending side ({@code IBV_QPT_XRC_SEND}). */
    XRC_INI(9, "XRC_INI"),
    /** Extended reliable connection, receiving side ({@code IBV_QPT_XRC_RECV}). */
    XRC_TGT(10, "XRC_TGT"),
    /** Device-specific ({@code IBV_QPT_DRIVER}): the core handles only its states and posts no requests. */
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
     * {@return true for the types whose packets the application builds and parses: they have no address handles and no
     * queue pair numbers on the wire}
     */
    public boolean isRaw() {
        return this == RAW_IPV6 || this == RAW_ETHERTYPE || this == RAW_PACKET;
    }

    /** {@return true for the types whose queue pairs have one peer each} */
    public boolean isConnected() {
        return this == RC || this == UC || this == XRC_INI || this == XRC_TGT;
    }

    /** {@return false for the two XRC types: their messages arrive in shared receive queues only} */
    public boolean hasReceiveQueue() {
        return this != XRC_INI && this != XRC_TGT;
    }

    /** {@return the name that tools print} */
    public String text() {
        return text;
    }
}
