package io.rdma4j.verbs;

/** What a FLUSH is about. Answers to {@code enum ib_selectivity_level}, {@code IBV_FLUSH_RANGE} and {@code IBV_FLUSH_MR}. */
public enum FlushLevel {
    /** The bytes named. */
    RANGE,
    /** The whole memory region of the key. */
    MR;

    /** {@return the number in C and in the packet} */
    public int code() {
        return ordinal();
    }
}
