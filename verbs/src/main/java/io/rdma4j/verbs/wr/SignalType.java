// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.wr;

/**
 * Selects the sends of a queue pair that generate a completion. Corresponds to {@code sq_sig_all} and
 * {@code enum ib_sig_type}.
 */
public enum SignalType {
    /** Every send. */
    ALL_WR(1),
    /** Only sends with {@link SendFlag#SIGNALED}, and sends that fail. */
    REQ_WR(0);

    private final int code;

    SignalType(int code) {
        this.code = code;
    }

    /** {@return the value of {@code sq_sig_all}: 1 or 0} */
    public int code() {
        return code;
    }
}
