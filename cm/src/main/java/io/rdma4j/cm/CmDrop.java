// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

/** Why a received datagram had no effect. */
public enum CmDrop {
    /** Not a CM message: length, version, class, method or attribute. */
    MALFORMED,
    /** The communication ID belongs to no connection. */
    UNKNOWN_ID,
    /** IDs, GUID, queue pair or address are not those of the connection's peer. */
    FOREIGN,
    /** The state of the connection has no transition for the message. */
    WRONG_STATE,
    /** The backlog of the listener is full. */
    BACKLOG,
    /** Too many connections are half open. */
    HALF_OPEN
}
