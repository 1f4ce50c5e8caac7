package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** What a send work request asks for; {@link #code} is the number of {@code enum ibv_wr_opcode}. */
public enum WrOpcode {
    RDMA_WRITE(0, WcOpcode.RDMA_WRITE),
    RDMA_WRITE_WITH_IMM(1, WcOpcode.RDMA_WRITE),
    SEND(2, WcOpcode.SEND),
    SEND_WITH_IMM(3, WcOpcode.SEND),
    RDMA_READ(4, WcOpcode.RDMA_READ),
    ATOMIC_CMP_AND_SWP(5, WcOpcode.COMP_SWAP),
    ATOMIC_FETCH_AND_ADD(6, WcOpcode.FETCH_ADD),
    LOCAL_INV(7, WcOpcode.LOCAL_INV),
    BIND_MW(8, WcOpcode.BIND_MW),
    SEND_WITH_INV(9, WcOpcode.SEND),
    TSO(10, WcOpcode.TSO),
    FLUSH(14, WcOpcode.FLUSH),
    ATOMIC_WRITE(15, WcOpcode.ATOMIC_WRITE);

    private static final WrOpcode[] BY_CODE = new WrOpcode[16];

    static {
        for (WrOpcode opcode : values()) {
            BY_CODE[opcode.code] = opcode;
        }
    }

    private final int code;
    private final WcOpcode completion;

    WrOpcode(int code, WcOpcode completion) {
        this.code = code;
        this.completion = completion;
    }

    /** The number in {@code enum ibv_wr_opcode}. */
    public int code() {
        return code;
    }

    /** The opcode of the completion that reports this request. */
    public WcOpcode completion() {
        return completion;
    }

    /** @throws RdmaException EINVAL if no opcode has this number */
    @SuppressWarnings("NullAway") // the gaps of the table are null and refused here
    public static WrOpcode ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length || BY_CODE[code] == null) {
            throw new RdmaException(Errno.EINVAL, "work request opcode " + code + " is unknown");
        }
        return BY_CODE[code];
    }
}
