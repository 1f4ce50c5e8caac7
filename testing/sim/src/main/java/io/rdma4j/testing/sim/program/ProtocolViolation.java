// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcStatus;
import org.jspecify.annotations.Nullable;

/** A protocol violation of a step. The step fails without effect, and the connection is broken. */
enum ProtocolViolation {
    /** Uses an invalidated key. */
    STALE_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** Uses the key of memory in another protection domain. */
    FOREIGN_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** Uses the key of memory without remote rights. */
    PRIVATE_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** Its last byte is behind the end of the memory. */
    BEYOND_END(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** Its start address is so high that its end address wraps around. */
    WRAPPED_RANGE(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** The peer's queue pair does not permit this operation, or serves no READs and atomics. */
    UNSERVED(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR),
    /** Its L_Key does not exist: it fails before a packet is sent. */
    LOCAL_KEY(WcStatus.LOC_PROT_ERR, null);

    private final WcStatus status;
    private final @Nullable EventType event;

    ProtocolViolation(WcStatus status, @Nullable EventType event) {
        this.status = status;
        this.event = event;
    }

    /** Completion status of the step. */
    WcStatus status() {
        return status;
    }

    /** Asynchronous event of the peer; null if the peer receives no packet. */
    @Nullable
    EventType event() {
        return event;
    }
}
