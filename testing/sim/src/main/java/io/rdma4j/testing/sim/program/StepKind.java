// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.program;

import io.rdma4j.testing.sim.world.Service;
import io.rdma4j.verbs.wr.WcOpcode;
import java.util.EnumSet;
import java.util.Set;

/** Operation of a step. */
public enum StepKind {
    SEND(WcOpcode.SEND),
    SEND_WITH_IMMEDIATE(WcOpcode.SEND),
    /** A SEND that invalidates a key of the peer. */
    SEND_WITH_INVALIDATE(WcOpcode.SEND),
    WRITE(WcOpcode.RDMA_WRITE),
    WRITE_WITH_IMMEDIATE(WcOpcode.RDMA_WRITE),
    READ(WcOpcode.RDMA_READ),
    /** A READ that invalidates the key of its local memory. */
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

    /** True if it invalidates a key. */
    public boolean invalidates() {
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

    public boolean isShared() {
        return this == SHARED_COMPARE_SWAP || this == SHARED_FETCH_ADD;
    }

    /** True if it uses a word of its connection's memory. */
    private boolean isOwnAtomic() {
        return this == COMPARE_SWAP || this == FETCH_ADD || this == MASKED_COMPARE_SWAP || this == MASKED_FETCH_ADD;
    }

    /** True if the response returns the original value of a word. */
    boolean isAtomic() {
        return isShared() || isOwnAtomic();
    }

    /** True if it accesses memory of the peer by an R_Key. */
    boolean isRemote() {
        return !isSend();
    }

    /** True if the peer repeats its response from its replay table: READs, atomics, FLUSH, ATOMIC WRITE. */
    boolean hasOwnAnswer() {
        return isRemote() && !isWrite();
    }

    /** True if the response writes to local memory. */
    public boolean lands() {
        return isAtomic() || isRead();
    }

    /** True if it sends bytes to the peer. */
    boolean carriesMessage() {
        return isSend() || isWrite();
    }

    /** True if it changes the connection's memory at the peer. */
    boolean changesRemote() {
        return isWrite() || isOwnAtomic() || this == ATOMIC_WRITE;
    }

    /** True if its length determines the number of packets of the request or the response. */
    public boolean hasMessageLength() {
        return carriesMessage() || isRead();
    }

    /**
     * {@return the operations that a service has} XRC has none that invalidate keys, because its keys belong to the
     * protection domain of the shared receive queue.
     */
    public static Set<StepKind> of(Service service) {
        return switch (service) {
            case RC -> EnumSet.allOf(StepKind.class);
            case XRC ->
                EnumSet.complementOf(EnumSet.of(FLUSH, ATOMIC_WRITE, SEND_WITH_INVALIDATE, READ_WITH_INVALIDATE));
            case UC -> EnumSet.of(SEND, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE);
            case UD -> EnumSet.of(SEND, SEND_WITH_IMMEDIATE);
        };
    }
}
