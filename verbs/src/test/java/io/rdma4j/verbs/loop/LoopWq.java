// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.loop;

import io.rdma4j.verbs.spi.WqOps;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.ReceiveOwner;
import io.rdma4j.verbs.spi.ring.ReceiveQueue;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.RingReceiveBatch;
import io.rdma4j.verbs.values.WqState;
import io.rdma4j.verbs.wr.ReceiveBatch;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/** A receive ring with a state; the device's lock replaces the port loop. */
final class LoopWq implements WqOps, ReceiveOwner {
    private final LoopDevice device;
    private final LoopCq cq;
    private final ReceiveQueue receives;
    private final RingReceiveBatch batch;
    private final CompletionEntry entry = new CompletionEntry();
    private volatile WqState state = WqState.RESET;

    LoopWq(LoopDevice device, LoopCq cq, int maxWr, int maxSge) {
        this.device = device;
        this.cq = cq;
        this.receives = new ReceiveQueue(maxWr, maxSge);
        this.batch = new RingReceiveBatch(receives, this);
    }

    LoopCq cq() {
        return cq;
    }

    /** Copies the next receive to {@code target}; false if there is none. */
    boolean take(RingMemory target) {
        return state == WqState.RDY && LoopQp.take(receives.ring(), target);
    }

    @Override
    public void modify(WqState next) {
        synchronized (device) {
            state = next;
            if (next == WqState.ERR) {
                flush();
            } else if (next == WqState.RESET) {
                receives.ring().publishConsumer(receives.ring().acquireProducer());
            }
            device.progress();
        }
    }

    private void flush() {
        RingMemory receive = LoopQp.allocateReceive();
        while (LoopQp.take(receives.ring(), receive)) {
            cq.post(entry.begin(ReceiveQueue.wrId(receive, 0), WcStatus.WR_FLUSH_ERR, WcOpcode.RECV, 0), false);
        }
    }

    @Override
    public ReceiveBatch startReceive() {
        return batch.start();
    }

    @Override
    public String receiveRefusal() {
        return state == WqState.RESET ? "the receive queue is in RESET" : null;
    }

    @Override
    public void receiveDoorbell() {
        synchronized (device) {
            if (state == WqState.ERR) {
                flush();
            }
            device.progress();
        }
    }

    @Override
    public void close() {}
}
