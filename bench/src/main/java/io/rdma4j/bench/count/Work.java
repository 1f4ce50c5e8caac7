// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

/** Work that contains operations to be counted. */
interface Work extends AutoCloseable {
    /** Runs each of its operations once or more, and {@link OperationMarks#nothing}. */
    void once(OperationMarks marks);

    @Override
    void close();
}
