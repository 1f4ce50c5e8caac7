package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WcOpcode;

/** What a step of a program does. */
enum StepKind {
    SEND(WcOpcode.SEND),
    SEND_WITH_IMMEDIATE(WcOpcode.SEND),
    /** A SEND that takes back a key of the peer. */
    SEND_WITH_INVALIDATE(WcOpcode.SEND),
    WRITE(WcOpcode.RDMA_WRITE),
    WRITE_WITH_IMMEDIATE(WcOpcode.RDMA_WRITE),
    READ(WcOpcode.RDMA_READ),
    /** A READ that takes back the key of the memory it lands in. */
    READ_WITH_INVALIDATE(WcOpcode.RDMA_READ),
    COMPARE_SWAP(WcOpcode.COMP_SWAP),
    FETCH_ADD(WcOpcode.FETCH_ADD),
    MASKED_COMPARE_SWAP(WcOpcode.MASKED_COMP_SWAP),
    MASKED_FETCH_ADD(WcOpcode.MASKED_FETCH_ADD),
    ATOMIC_WRITE(WcOpcode.ATOMIC_WRITE),
    FLUSH(WcOpcode.FLUSH),
    /** A compare-and-swap on a word that all connections use. */
    SHARED_COMPARE_SWAP(WcOpcode.COMP_SWAP),
    /** A fetch-and-add on a word that all connections use. */
    SHARED_FETCH_ADD(WcOpcode.FETCH_ADD);

    private final WcOpcode completion;

    StepKind(WcOpcode completion) {
        this.completion = completion;
    }

    WcOpcode completion() {
        return completion;
    }

    boolean isSend() {
        return this == SEND || this == SEND_WITH_IMMEDIATE || this == SEND_WITH_INVALIDATE;
    }

    boolean isRead() {
        return this == READ || this == READ_WITH_INVALIDATE;
    }

    /** True if it takes back a key. */
    boolean invalidates() {
        return this == SEND_WITH_INVALIDATE || this == READ_WITH_INVALIDATE;
    }

    boolean isWrite() {
        return this == WRITE || this == WRITE_WITH_IMMEDIATE;
    }

    boolean carriesImmediate() {
        return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
    }

    /** True if it takes a receive of the peer. */
    boolean takesReceive() {
        return isSend() || this == WRITE_WITH_IMMEDIATE;
    }

    boolean isShared() {
        return this == SHARED_COMPARE_SWAP || this == SHARED_FETCH_ADD;
    }

    /** True if it works on a word of its connection's memory. */
    private boolean isOwnAtomic() {
        return this == COMPARE_SWAP || this == FETCH_ADD || this == MASKED_COMPARE_SWAP || this == MASKED_FETCH_ADD;
    }

    /** True if the old value of a word comes back. */
    boolean isAtomic() {
        return isShared() || isOwnAtomic();
    }

    /** True if it works on memory that the peer has opened to it. */
    boolean isRemote() {
        return !isSend();
    }

    /** True if the peer answers it from its replay table: READs, atomics, FLUSH, ATOMIC WRITE. */
    boolean hasOwnAnswer() {
        return isRemote() && !isWrite();
    }

    /** True if the peer's answer brings bytes for the memory of this side. */
    boolean lands() {
        return isAtomic() || isRead();
    }

    /** True if bytes of this side go to the peer. */
    boolean carriesMessage() {
        return isSend() || isWrite();
    }

    /** True if it changes the memory that its connection has at the peer for such requests. */
    boolean changesRemote() {
        return isWrite() || isOwnAtomic() || this == ATOMIC_WRITE;
    }

    /** True if its length says how many packets it, or its answer, takes. */
    boolean hasMessageLength() {
        return carriesMessage() || isRead();
    }
}
