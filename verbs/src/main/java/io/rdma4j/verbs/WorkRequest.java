package io.rdma4j.verbs;

/** What can be posted to a queue pair. */
public sealed interface WorkRequest permits SendRequest, ReceiveRequest {
    /** {@return the number that its completion carries} Answers to {@code wr_id}. */
    long wrId();
}
