// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Operation that a completion reports. {@link #code} is the number of {@code enum ibv_wc_opcode}. 10..12 are those of
 * {@code enum ib_wc_opcode}, because libibverbs has none.
 */
public enum WcOpcode {
    /** {@code IBV_WC_SEND}: a SEND of any kind, also with immediate data or invalidation. */
    SEND(0),
    /** {@code IBV_WC_RDMA_WRITE}: an RDMA WRITE, with immediate data or without. */
    RDMA_WRITE(1),
    /** {@code IBV_WC_RDMA_READ}: an RDMA READ, whose data have arrived. */
    RDMA_READ(2),
    /** {@code IBV_WC_COMP_SWAP}: a compare-and-swap, whose previous value has arrived. */
    COMP_SWAP(3),
    /** {@code IBV_WC_FETCH_ADD}: a fetch-and-add, whose previous value has arrived. */
    FETCH_ADD(4),
    /** {@code IBV_WC_BIND_MW}: the binding of a memory window. */
    BIND_MW(5),
    /** {@code IBV_WC_LOCAL_INV}: the invalidation of a local key. */
    LOCAL_INV(6),
    /** {@code IBV_WC_TSO}: a large send; all segments are sent. */
    TSO(7),
    /** {@code IBV_WC_FLUSH}: the data of earlier writes have reached the requested placement at the peer. */
    FLUSH(8),
    /** {@code IBV_WC_ATOMIC_WRITE}: an atomic write of 8 bytes. */
    ATOMIC_WRITE(9),
    /** {@code IB_WC_REG_MR}: the registration of a region by work request. */
    REG_MR(10),
    /** {@code IB_WC_MASKED_COMP_SWAP}: a masked compare-and-swap; all 64 bits of the previous value have arrived. */
    MASKED_COMP_SWAP(11),
    /** {@code IB_WC_MASKED_FETCH_ADD}: a fetch-and-add to fields; all 64 bits of the previous value have arrived. */
    MASKED_FETCH_ADD(12),
    /** {@code IBV_WC_RECV}: a receive request was filled with a message. */
    RECV(128),
    /**
     * {@code IBV_WC_RECV_RDMA_WITH_IMM}: an RDMA WRITE with immediate data consumed a receive request; its data are at
     * the address of the WRITE.
     */
    RECV_RDMA_WITH_IMM(129);

    private static final int FIRST_RECEIVE = 128;
    private static final WcOpcode[] BY_ORDINAL = values();

    private final int code;

    WcOpcode(int code) {
        this.code = code;
    }

    /** {@return the number in C; receives have bit 7 set} */
    public int code() {
        return code;
    }

    /** {@return true for completions of receive work requests} */
    public boolean isReceive() {
        return code >= FIRST_RECEIVE;
    }

    /**
     * {@return the opcode of a number of {@code enum ibv_wc_opcode} or {@code enum ib_wc_opcode}}
     *
     * @param code a value of {@link #code}
     * @throws RdmaException EINVAL for an undefined number
     */
    public static WcOpcode ofCode(int code) {
        if (code >= 0 && code <= MASKED_FETCH_ADD.code) {
            return BY_ORDINAL[code];
        }
        return switch (code) {
            case 128 -> RECV;
            case 129 -> RECV_RDMA_WITH_IMM;
            default -> throw new RdmaException(Errno.EINVAL, "completion opcode " + code + " is unknown");
        };
    }
}
