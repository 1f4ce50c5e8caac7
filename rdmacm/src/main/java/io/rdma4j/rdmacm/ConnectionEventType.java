// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/** Kind of a {@link ConnectionEvent}. Corresponds to {@code enum rdma_cm_event_type}; the ordinal is the C value. */
public enum ConnectionEventType {
    /** The own address and the device are found. */
    ADDR_RESOLVED,
    /** The address cannot be resolved. */
    ADDR_ERROR,
    /** The path is found. */
    ROUTE_RESOLVED,
    /** The path cannot be resolved. */
    ROUTE_ERROR,
    /** A peer requests a connection, or the queue pair of a datagram service. */
    CONNECT_REQUEST,
    /** The peer accepts; the program modifies its own queue pair and calls {@link RdmaId#establish}. */
    CONNECT_RESPONSE,
    /** An operation failed while connecting. */
    CONNECT_ERROR,
    /** The peer does not answer, or has no such datagram service. */
    UNREACHABLE,
    /** The peer rejects the connection. */
    REJECTED,
    /** The connection is established, or the queue pair of the datagram service is known. */
    ESTABLISHED,
    /** The connection has ended. */
    DISCONNECTED,
    /** The device was removed; the program destroys the id. */
    DEVICE_REMOVAL,
    /** The multicast group is joined. */
    MULTICAST_JOIN,
    /** The multicast group cannot be joined, or is lost. */
    MULTICAST_ERROR,
    /** The device has lost the address of the id. */
    ADDR_CHANGE,
    /** The queue pair may be used for another connection. */
    TIMEWAIT_EXIT,
    /** An address was looked up. */
    ADDRINFO_RESOLVED,
    /** An address was not found. */
    ADDRINFO_ERROR,
    /** An event of the program: {@link RdmaId#writeEvent}. */
    USER;

    /** {@return the text of {@code rdma_event_str}} */
    public String text() {
        return "RDMA_CM_EVENT_" + name();
    }
}
