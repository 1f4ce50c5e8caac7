package io.rdma4j.verbs;

/** Kind of a shared receive queue. Answers to {@code enum ibv_srq_type}. */
public enum SrqType {
    /** For the queue pairs that name it at creation. */
    BASIC,
    /** For the XRC target queue pairs of its domain, whose senders name it with each message. */
    XRC;

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }
}
