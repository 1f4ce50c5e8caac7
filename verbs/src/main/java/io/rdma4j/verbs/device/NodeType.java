// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.device;

/** Kind of node that a device is. Corresponds to {@code enum ibv_node_type}. */
public enum NodeType {
    /** {@code IBV_NODE_UNKNOWN}: none of the others, or not reported by the device. */
    UNKNOWN(-1, "unknown", TransportType.UNKNOWN),
    /** {@code IBV_NODE_CA}: a channel adapter; RoCE devices report this kind, too. */
    CA(1, "InfiniBand channel adapter", TransportType.IB),
    /** {@code IBV_NODE_SWITCH}: the management port of a switch. */
    SWITCH(2, "InfiniBand switch", TransportType.IB),
    /** {@code IBV_NODE_ROUTER}: the management port of a router between subnets. */
    ROUTER(3, "InfiniBand router", TransportType.IB),
    /** {@code IBV_NODE_RNIC}: an iWARP adapter, RDMA over TCP. */
    RNIC(4, "iWARP NIC", TransportType.IWARP),
    /** {@code IBV_NODE_USNIC}: a Cisco usNIC device, with a protocol of its own. */
    USNIC(5, "usNIC", TransportType.USNIC),
    /** {@code IBV_NODE_USNIC_UDP}: a Cisco usNIC device over UDP. */
    USNIC_UDP(6, "usNIC UDP", TransportType.USNIC_UDP),
    /** {@code IBV_NODE_UNSPECIFIED}: a device that has verbs for its own purposes and uses no RDMA protocol. */
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

    /** {@return the text of {@code ibv_node_type_str}} */
    public String text() {
        return text;
    }

    /** {@return the transport of this kind of node} Corresponds to {@code rdma_node_get_transport}. */
    public TransportType transport() {
        return transport;
    }
}
