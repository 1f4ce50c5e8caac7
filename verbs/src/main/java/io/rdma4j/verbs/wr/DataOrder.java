// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/**
 * Guarantees of a device about the order in which it writes received bytes. Corresponds to
 * {@code enum ibv_query_qp_data_in_order_caps}; see {@link io.rdma4j.verbs.QueuePair#queryDataInOrder}.
 */
public enum DataOrder {
    /** The bytes of a message are written in order; includes {@link #ALIGNED_128_BYTES}. */
    WHOLE_MESSAGE,
    /** The bytes within each aligned block of 128 bytes are written in order. */
    ALIGNED_128_BYTES
}
