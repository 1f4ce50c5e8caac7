// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/** State of an {@link RdmaId}. Corresponds to {@code enum rdma_cm_state}. */
public enum RdmaIdState {
    /** New. */
    IDLE,
    /** The address of the peer is being resolved. */
    ADDR_QUERY,
    /** The device and the own address are known. */
    ADDR_RESOLVED,
    /** The path is being resolved. */
    ROUTE_QUERY,
    /** The path is known. */
    ROUTE_RESOLVED,
    /** Connecting or connected. */
    CONNECT,
    /** One of the ends has disconnected. */
    DISCONNECT,
    /** Has an address of its own. */
    ADDR_BOUND,
    /** Waits for requests. */
    LISTEN,
    /** The device was removed. */
    DEVICE_REMOVAL,
    /** Destroyed. */
    DESTROYING
}
