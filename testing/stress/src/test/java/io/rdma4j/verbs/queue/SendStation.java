package io.rdma4j.verbs.queue;

import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.WrOpcode;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The send queue of a queue pair in RTS with the doorbell of the software device: whoever rings it while it is silent takes the queue pair
 * to the device, who silences it before looking at the ring.
 */
final class SendStation implements QueueOwner {
    final SendQueue queue = new SendQueue(2, 1, 0);
    final RingSendBatch batch = new RingSendBatch(queue, this, QpType.RC, Set.of(WrOpcode.values()), Set.of(), false);
    final AtomicBoolean rung = new AtomicBoolean();

    void post(long wrId) {
        batch.start().wrId(wrId).send().complete();
    }

    /** Elements that the device finds. */
    int waiting() {
        Ring ring = queue.ring();
        return ring.distance(ring.acquireProducer(), ring.ownConsumer());
    }

    /** The number of the element in a slot. */
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
        // receives are found when they are needed
    }
}
