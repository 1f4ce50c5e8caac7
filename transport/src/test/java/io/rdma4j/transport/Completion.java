// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport;

import io.rdma4j.verbs.wr.CompletionCursor;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/** A polled completion. */
record Completion(
        long wrId,
        WcStatus status,
        WcOpcode opcode,
        int byteLength,
        int flags,
        int immediate,
        int qpNumber,
        int sourceQp,
        long timestampNs,
        int vendorError) {
    static Completion at(CompletionCursor cursor) {
        return new Completion(
                cursor.wrId(),
                cursor.status(),
                cursor.opcode(),
                cursor.byteLength(),
                cursor.flags(),
                cursor.immediate(),
                cursor.qpNumber(),
                cursor.sourceQp(),
                cursor.timestampNs(),
                cursor.vendorError());
    }

    boolean hasImmediate() {
        return (flags & WcFlag.WITH_IMM.bit()) != 0;
    }

    /** {@code "7 SUCCESS"}: what most tests compare. */
    String brief() {
        return wrId + " " + status;
    }
}
