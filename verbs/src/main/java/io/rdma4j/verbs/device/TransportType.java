// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Transport protocol of a device. Corresponds to {@code enum ibv_transport_type}; RoCE is {@link #IB}. */
public enum TransportType {
    /** {@code IBV_TRANSPORT_UNKNOWN}: transport of unknown nodes. */
    UNKNOWN(-1, "invalid transport"),
    /** {@code IBV_TRANSPORT_IB}: the transport of the InfiniBand specification, over any link. */
    IB(0, "InfiniBand"),
    /** {@code IBV_TRANSPORT_IWARP}: RDMA over TCP. */
    IWARP(1, "iWARP"),
    /** {@code IBV_TRANSPORT_USNIC}: protocol of Cisco usNIC, over Ethernet. */
    USNIC(2, "usNIC"),
    /** {@code IBV_TRANSPORT_USNIC_UDP}: protocol of Cisco usNIC, over UDP. */
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
