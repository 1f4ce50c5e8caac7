// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Locale;

/**
 * Operation of a send work request. {@link #code} is the number of {@code enum ibv_wr_opcode}. Where libibverbs has
 * none, it is that of {@code enum ib_uverbs_wr_opcode} (11..13, driver opcodes in libibverbs) or
 * {@code enum ib_wr_opcode} (0x20).
 */
public enum WrOpcode {
    /** {@code IBV_WR_RDMA_WRITE}: writes to memory of the peer, without a completion at the peer. */
    RDMA_WRITE(0, WcOpcode.RDMA_WRITE),
    /**
     * {@code IBV_WR_RDMA_WRITE_WITH_IMM}: an RDMA WRITE with 32 bits of immediate data; consumes a receive request of
     * the peer.
     */
    RDMA_WRITE_WITH_IMM(1, WcOpcode.RDMA_WRITE),
    /** {@code IBV_WR_SEND}: sends a message into the peer's next receive request. */
    SEND(2, WcOpcode.SEND),
    /** {@code IBV_WR_SEND_WITH_IMM}: a SEND with 32 bits of immediate data for the peer's completion. */
    SEND_WITH_IMM(3, WcOpcode.SEND),
    /** {@code IBV_WR_RDMA_READ}: reads memory of the peer, without a completion at the peer. */
    RDMA_READ(4, WcOpcode.RDMA_READ),
    /** {@code IBV_WR_ATOMIC_CMP_AND_SWP}: compares 8 bytes of the peer and, if they are equal, replaces them. */
    ATOMIC_CMP_AND_SWP(5, WcOpcode.COMP_SWAP),
    /** {@code IBV_WR_ATOMIC_FETCH_AND_ADD}: adds to 8 bytes of the peer. */
    ATOMIC_FETCH_AND_ADD(6, WcOpcode.FETCH_ADD),
    /** Invalidates a local key. */
    LOCAL_INV(7, WcOpcode.LOCAL_INV),
    /** {@code IBV_WR_BIND_MW}: binds a memory window of type 2. */
    BIND_MW(8, WcOpcode.BIND_MW),
    /** A SEND that invalidates a key of the receiver. */
    SEND_WITH_INV(9, WcOpcode.SEND),
    /** A large send that the device cuts into segments; the kernel's name is LSO. */
    TSO(10, WcOpcode.TSO),
    /** An RDMA READ that invalidates a local key when it completes. */
    RDMA_READ_WITH_INV(11, WcOpcode.RDMA_READ),
    /** A compare-and-swap of selected bits of the 64. */
    MASKED_ATOMIC_CMP_AND_SWP(12, WcOpcode.MASKED_COMP_SWAP),
    /** A fetch-and-add to several fields of the 64 bits. */
    MASKED_ATOMIC_FETCH_AND_ADD(13, WcOpcode.MASKED_FETCH_ADD),
    /**
     * {@code IBV_WR_FLUSH}: completes when the data of earlier writes have reached the requested placement at the peer.
     */
    FLUSH(14, WcOpcode.FLUSH),
    /** {@code IBV_WR_ATOMIC_WRITE}: writes 8 bytes of the peer atomically. */
    ATOMIC_WRITE(15, WcOpcode.ATOMIC_WRITE),
    /** Fast registration of a {@link io.rdma4j.verbs.FastMemoryRegion}; formerly {@code IB_WR_FAST_REG_MR}. */
    REG_MR(0x20, WcOpcode.REG_MR);

    private static final WrOpcode[] BY_CODE = new WrOpcode[0x21];

    static {
        for (WrOpcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final WcOpcode completion;
    private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

    WrOpcode(int code, WcOpcode completion) {
        this.code = code;
        this.completion = completion;
    }

    /** {@return the number in C} */
    public int code() {
        return code;
    }

    /** {@return the text of {@code ibv_wr_opcode_str}, which traces show} */
    public String text() {
        return text;
    }

    /** {@return the opcode of the completion that reports this request} */
    public WcOpcode completion() {
        return completion;
    }

    /**
     * {@return the opcode of a number in C}
     *
     * @param code a value of {@link #code}
     * @throws RdmaException EINVAL for an undefined number
     */
    @SuppressWarnings("NullAway") // gaps of the table are null and rejected here
    public static WrOpcode ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length || BY_CODE[code] == null) {
            throw new RdmaException(Errno.EINVAL, "work request opcode " + code + " is unknown");
        }
        return BY_CODE[code];
    }
}
