package io.rdma4j.testing.sim;

/** What a step has besides its operation. */
enum StepFlag {
    /** Its bytes are copied while posting. */
    INLINE,
    /** It is marked as solicited. */
    SOLICITED,
    /** It waits for READs and atomics before it. */
    FENCED,
    /** Its bytes are those that an earlier READ has brought. */
    FORWARDS,
    /** When it is complete, its door is closed by whom the memory belongs to. */
    CLOSES
}
