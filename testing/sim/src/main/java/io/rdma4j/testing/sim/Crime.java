package io.rdma4j.testing.sim;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/** What a step does that it must not; it fails, nothing comes of it, and the connection is broken. */
enum Crime {
    /** It uses a key that was taken back. */
    STALE_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** It uses the key of memory in another protection domain. */
    FOREIGN_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** It uses the key of memory that is not for peers. */
    PRIVATE_KEY(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** Its last byte lies behind the end of the memory. */
    BEYOND_END(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** It begins so high that its end is a small address again. */
    WRAPPED_RANGE(WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR),
    /** The peer's queue pair does not have this operation, or serves no READs and atomics. */
    UNSERVED(WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR),
    /** Its own memory has a key that does not exist: it fails before anything is sent. */
    LOCAL_KEY(WcStatus.LOC_PROT_ERR, null);

    private final WcStatus status;
    private final @Nullable EventType event;

    Crime(WcStatus status, @Nullable EventType event) {
        this.status = status;
        this.event = event;
    }

    /** How it ends. */
    WcStatus status() {
        return status;
    }

    /** What the peer is told; null if it never hears of it. */
    @Nullable
    EventType event() {
        return event;
    }
}
