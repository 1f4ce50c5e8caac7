package io.rdma4j.verbs;

/**
 * What a device promises of the order in which it writes arriving bytes. Answers to
 * {@code enum ibv_query_qp_data_in_order_caps}; see {@link QueuePair#queryDataInOrder}.
 */
public enum DataOrder {
    /** The bytes of a message are written in their order; includes {@link #ALIGNED_128_BYTES}. */
    WHOLE_MESSAGE,
    /** Those within each aligned block of 128 bytes are. */
    ALIGNED_128_BYTES
}
