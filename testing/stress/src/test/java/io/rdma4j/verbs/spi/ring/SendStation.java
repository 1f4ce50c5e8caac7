// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The send queue of a queue pair in RTS, with the doorbell of the software device. The posting thread that sets the
 * clear doorbell schedules the queue pair. The device clears the doorbell before it reads the ring.
 */
final class SendStation implements QueueOwner {
    final SendQueue queue = new SendQueue(2, 1, 0);
    final RingSendBatch batch = new RingSendBatch(queue, this, QpType.RC, Set.of(WrOpcode.values()), Set.of(), false);
    final AtomicBoolean rung = new AtomicBoolean();

    void post(long wrId) {
        batch.start().wrId(wrId).send().complete();
    }

    /** Number of elements that the device finds. */
    int waiting() {
        Ring ring = queue.ring();
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /** The wr_id of the element in a slot. */
    int wrId(int slot) {
        return (int) SendHeader.of(queue.memory(), queue.ring().offset(slot)).wrId();
    }

    @Override
    public QpState state() {
        return QpState.RTS;
    }

    @Override
    public void sendDoorbell() {
        if (!rung.get()) {
            rung.compareAndSet(false, true);
        }
    }

    @Override
    public void receiveDoorbell() {
        // the device reads receives when it needs them
    }
}
