// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.values;

/** Kind of a shared receive queue. Corresponds to {@code enum ibv_srq_type}. */
public enum SrqType {
    /** For the queue pairs that were created with it. */
    BASIC,
    /** For the XRC target queue pairs of its domain; senders select it with each message. */
    XRC;

    /** {@return the number in C} */
    public int code() {
        return ordinal();
    }
}
