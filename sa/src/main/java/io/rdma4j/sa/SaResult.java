// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sa;

import io.rdma4j.base.Errno;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a query.
 *
 * @param error null for success; ETIMEDOUT without an answer, EINTR after a cancellation, EIO if the query could not be
 *     sent, EINVAL if the SA rejected it, ENETRESET for members of a lost multicast group
 * @param madStatus status of the answer, see {@link io.rdma4j.wire.mad.MadStatus}; 0 without an answer
 * @param records the records of the answer; empty after an error
 */
public record SaResult(@Nullable Errno error, int madStatus, List<SaRecord> records) {
    /** Copies the list. */
    public SaResult {
        records = List.copyOf(records);
    }

    static SaResult of(Errno error) {
        return new SaResult(error, 0, List.of());
    }

    static SaResult of(SaRecord record) {
        return new SaResult(null, 0, List.of(record));
    }

    /** {@return true if the SA has answered, and did not reject the query} */
    public boolean isSuccess() {
        return error == null;
    }
}
