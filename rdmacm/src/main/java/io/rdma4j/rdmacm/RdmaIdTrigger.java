// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

/** What changes the state of an {@link RdmaId}. */
public enum RdmaIdTrigger {
    /** {@link RdmaId#bindAddress}. */
    BIND_ADDRESS(true),
    /** {@link RdmaId#resolveAddress}. */
    RESOLVE_ADDRESS(true),
    /** The address is resolved. */
    ADDRESS_FOUND(false),
    /** The address cannot be resolved. */
    ADDRESS_FAILED(false),
    /** {@link RdmaId#resolveRoute}. */
    RESOLVE_ROUTE(true),
    /** The path is resolved. */
    ROUTE_FOUND(false),
    /** The path cannot be resolved. */
    ROUTE_FAILED(false),
    /** {@link RdmaId#listen}. */
    LISTEN(true),
    /** {@link RdmaId#connect}. */
    CONNECT(true),
    /** A peer requests a connection, which makes a new id. */
    REQUEST(false),
    /** {@link RdmaId#accept}. */
    ACCEPT(true),
    /** {@link RdmaId#joinMulticast}. */
    JOIN(true),
    /** A message of the peer about the connection, or its silence. */
    MESSAGE(false),
    /** The peer disconnects, or answers that this end disconnects, or does not answer that. */
    DISCONNECTED(false),
    /** The time-wait is over. */
    TIMEWAIT_OVER(false),
    /** The device was removed. */
    DEVICE_REMOVED(false),
    /** {@link RdmaId#close}. */
    DESTROY(true);

    private final boolean isCall;

    RdmaIdTrigger(boolean isCall) {
        this.isCall = isCall;
    }

    /** {@return true for a call of the program, which is an error in a state without transition} */
    public boolean isCall() {
        return isCall;
    }
}
