package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/**
 * Which operation a completion reports. {@link #code} is the number of {@code enum ibv_wc_opcode}; 10..12 are those of
 * {@code enum ib_wc_opcode}, since libibverbs has none.
 */
public enum WcOpcode {
    /** {@code IBV_WC_SEND}: a SEND of any kind, also with immediate data or invalidation. */
    SEND(0),
    /** {@code IBV_WC_RDMA_WRITE}: an RDMA WRITE, with immediate data or without. */
    RDMA_WRITE(1),
    /** {@code IBV_WC_RDMA_READ}: the data of an RDMA READ are here. */
    RDMA_READ(2),
    /** {@code IBV_WC_COMP_SWAP}: a compare-and-swap; what was there before is here. */
    COMP_SWAP(3),
    /** {@code IBV_WC_FETCH_ADD}: a fetch-and-add; what was there before is here. */
    FETCH_ADD(4),
    /** {@code IBV_WC_BIND_MW}: a memory window is bound. */
    BIND_MW(5),
    /** {@code IBV_WC_LOCAL_INV}: a local key is invalid. */
    LOCAL_INV(6),
    /** {@code IBV_WC_TSO}: a large send, whose segments are all sent. */
    TSO(7),
    /** {@code IBV_WC_FLUSH}: what was written to the peer before has got as far as asked. */
    FLUSH(8),
    /** {@code IBV_WC_ATOMIC_WRITE}: 8 bytes of the peer are written at once. */
    ATOMIC_WRITE(9),
    /** {@code IB_WC_REG_MR}: a region is registered by work request. */
    REG_MR(10),
    /** {@code IB_WC_MASKED_COMP_SWAP}: a compare-and-swap of some bits; all 64 that were there before are here. */
    MASKED_COMP_SWAP(11),
    /** {@code IB_WC_MASKED_FETCH_ADD}: a fetch-and-add to fields; all 64 bits that were there before are here. */
    MASKED_FETCH_ADD(12),
    /** {@code IBV_WC_RECV}: a message came into a receive request. */
    RECV(128),
    /**
     * {@code IBV_WC_RECV_RDMA_WITH_IMM}: an RDMA WRITE with immediate data used up a receive request; its bytes lie
     * elsewhere.
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
     * @param code as {@link #code} has it
     * @throws RdmaException EINVAL if no opcode has this number
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
