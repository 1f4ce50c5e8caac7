// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.bench.count;

import io.rdma4j.bench.micro.RingBenchmark;

/** Both ends of a send queue and of a completion queue on one thread. */
final class RingWork implements Work {
    private final RingBenchmark rings = new RingBenchmark();

    @Override
    public void once(OperationMarks marks) {
        marks.nothing();
        marks.begin();
        long read = rings.sendQueue() + rings.completionQueue();
        marks.end(CountedOperation.QUEUE_LAYER);
        if (read == 0) {
            throw new IllegalStateException("the rings are empty");
        }
    }

    @Override
    public void close() {}
}
