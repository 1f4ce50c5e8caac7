package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Which operation a completion reports. {@link #code} is the number of {@code enum ibv_wc_opcode}; 10..12 are those of
 * {@code enum ib_wc_opcode}, since libibverbs has none.
 */
public enum WcOpcode {
    SEND(0),
    RDMA_WRITE(1),
    RDMA_READ(2),
    COMP_SWAP(3),
    FETCH_ADD(4),
    BIND_MW(5),
    LOCAL_INV(6),
    TSO(7),
    FLUSH(8),
    ATOMIC_WRITE(9),
    REG_MR(10),
    MASKED_COMP_SWAP(11),
    MASKED_FETCH_ADD(12),
    RECV(128),
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

    /** @throws RdmaException EINVAL if no opcode has this number */
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
