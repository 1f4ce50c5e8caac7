package io.rdma4j.verbs;

/** How memory is mapped for a device. Answers to {@code DMA_ATTR_*}; all but {@link #SKIP_CPU_SYNC} are hints. */
public enum DmaAttribute {
    /** What is written here comes after all writes before. */
    WRITE_BARRIER,
    /** Reads and writes may pass one another. */
    WEAK_ORDERING,
    /** Writes may be gathered. */
    WRITE_COMBINE,
    /**
     * Mapping does not hand the memory over: it stays the program's until {@link DmaMapping#syncForDevice}, for the program that
     * maps once and hands over often.
     */
    SKIP_CPU_SYNC
}
