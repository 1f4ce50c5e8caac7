package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Locale;

/**
 * What a send work request asks for. {@link #code} is the number of {@code enum ibv_wr_opcode}; where libibverbs has none,
 * that of {@code enum ib_uverbs_wr_opcode} (11..13, driver opcodes to libibverbs) or {@code enum ib_wr_opcode} (0x20).
 */
public enum WrOpcode {
    /** {@code IBV_WR_RDMA_WRITE}: writes to memory of the peer, which notices nothing. */
    RDMA_WRITE(0, WcOpcode.RDMA_WRITE),
    /** {@code IBV_WR_RDMA_WRITE_WITH_IMM}: the same, and 32 bits that use up a receive request there. */
    RDMA_WRITE_WITH_IMM(1, WcOpcode.RDMA_WRITE),
    /** {@code IBV_WR_SEND}: a message into the peer's next receive request. */
    SEND(2, WcOpcode.SEND),
    /** {@code IBV_WR_SEND_WITH_IMM}: the same, and 32 bits that stand in the peer's completion. */
    SEND_WITH_IMM(3, WcOpcode.SEND),
    /** {@code IBV_WR_RDMA_READ}: reads memory of the peer, which notices nothing. */
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
    /** A large send that the device cuts into segments; the kernel says LSO. */
    TSO(10, WcOpcode.TSO),
    /** A READ that invalidates a local key when it is done. */
    RDMA_READ_WITH_INV(11, WcOpcode.RDMA_READ),
    /** A compare-and-swap of some of the 64 bits. */
    MASKED_ATOMIC_CMP_AND_SWP(12, WcOpcode.MASKED_COMP_SWAP),
    /** A fetch-and-add to several fields of the 64 bits. */
    MASKED_ATOMIC_FETCH_AND_ADD(13, WcOpcode.MASKED_FETCH_ADD),
    /** {@code IBV_WR_FLUSH}: completes when the peer has what was written before where it is asked to be. */
    FLUSH(14, WcOpcode.FLUSH),
    /** {@code IBV_WR_ATOMIC_WRITE}: writes 8 bytes of the peer at once. */
    ATOMIC_WRITE(15, WcOpcode.ATOMIC_WRITE),
    /** Fast registration of a {@link FastMemoryRegion}; formerly {@code IB_WR_FAST_REG_MR}. */
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

    /** {@return what {@code ibv_wr_opcode_str} says; traces show it} */
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
     * @param code as {@link #code} has it
     * @throws RdmaException EINVAL if no opcode has this number
     */
    @SuppressWarnings("NullAway") // the gaps of the table are null and refused here
    public static WrOpcode ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length || BY_CODE[code] == null) {
            throw new RdmaException(Errno.EINVAL, "work request opcode " + code + " is unknown");
        }
        return BY_CODE[code];
    }
}
