package io.rdma4j.testing.sim;

import io.rdma4j.verbs.WcOpcode;

/** What a step of a program does. */
enum StepKind {
    SEND(WcOpcode.SEND),
    SEND_WITH_IMMEDIATE(WcOpcode.SEND),
    WRITE(WcOpcode.RDMA_WRITE),
    WRITE_WITH_IMMEDIATE(WcOpcode.RDMA_WRITE),
    READ(WcOpcode.RDMA_READ),
    COMPARE_SWAP(WcOpcode.COMP_SWAP),
    FETCH_ADD(WcOpcode.FETCH_ADD),
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
        return this == SEND || this == SEND_WITH_IMMEDIATE;
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

    /** True if the old value of a word comes back. */
    boolean isAtomic() {
        return isShared() || this == COMPARE_SWAP || this == FETCH_ADD;
    }

    /** True if the peer's answer brings bytes for the memory of this side. */
    boolean lands() {
        return isAtomic() || this == READ;
    }

    /** True if bytes of this side go to the peer. */
    boolean carriesMessage() {
        return isSend() || isWrite();
    }

    /** True if it changes the memory that its connection has at the peer for such requests. */
    boolean changesRemote() {
        return isWrite() || this == COMPARE_SWAP || this == FETCH_ADD || this == ATOMIC_WRITE;
    }

    /** True if its length says how many packets it, or its answer, takes. */
    boolean hasMessageLength() {
        return carriesMessage() || this == READ;
    }
}
