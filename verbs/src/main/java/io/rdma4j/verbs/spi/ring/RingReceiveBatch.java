// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.wr.ReceiveBatch;
import java.util.function.Supplier;

/** The posting end of a {@link ReceiveQueue}; the rules are those of {@link RingSendBatch}. */
public final class RingReceiveBatch extends PostingEnd implements ReceiveBatch {
    /** Linux rejects receive requests of 2^31 bytes or more. */
    private static final long MAX_RECEIVE_BYTES = (1L << 31) - 1;

    private static final long NO_REQUEST = -1;

    private final ReceiveOwner owner;

    private ReceiveQueue queue;
    private Ring ring;
    private RingMemory memory;

    /** Index after the posted requests, index after the written ones, and the consumer index that was read last. */
    private int posted;

    private int producer;
    private int consumer;
    private long wqe = NO_REQUEST;
    private long wrId;
    private int numSge;
    private long length;

    /**
     * Creates the posting end of a receive queue; a queue has one.
     *
     * @param queue the queue to post to
     * @param owner the queue pair or shared queue that it belongs to
     */
    public RingReceiveBatch(ReceiveQueue queue, ReceiveOwner owner) {
        this.queue = queue;
        this.ring = queue.postingRing();
        this.memory = ring.memory();
        this.owner = owner;
    }

    /**
     * Begins a batch: the calling thread owns the queue until the batch ends.
     *
     * @return this batch
     */
    public ReceiveBatch start() {
        lock();
        producer = posted;
        return this;
    }

    @Override
    public ReceiveBatch receive(long id) {
        finishRequest();
        if (isFull()) {
            fail(Errno.ENOMEM, "the receive queue is full: it holds " + ring.capacity() + " work requests");
            return this;
        }
        wqe = ring.offset(producer);
        wrId = id;
        numSge = 0;
        length = 0;
        return this;
    }

    @Override
    public ReceiveBatch sge(int lkey, long address, int lengthBytes) {
        if (wqe == NO_REQUEST) {
            fail(Errno.EINVAL, "a scatter/gather element must follow receive()");
        } else if (numSge == queue.maxSge()) {
            fail(
                    Errno.EINVAL,
                    "scatter/gather element " + (queue.maxSge() + 1) + ": max_recv_sge is " + queue.maxSge());
        } else {
            SgeLayout.write(memory, ReceiveQueue.sge(wqe, numSge), address, lengthBytes, lkey);
            numSge++;
            length += Integer.toUnsignedLong(lengthBytes);
            if (length > MAX_RECEIVE_BYTES) {
                fail(Errno.EINVAL, "a receive request of " + length + " bytes: the limit is 2^31 - 1");
            }
        }
        return this;
    }

    @Override
    public void complete() {
        finishRequest();
        String refusal = owner.receiveRefusal();
        if (refusal != null) {
            fail(Errno.EINVAL, refusal);
        }
        RdmaException mistake = takeError();
        if (mistake != null) {
            unlock();
            throw mistake;
        }
        // Published before the doorbell reads the state: the device sets ERR first and then flushes the ring.
        ring.publishProducerFully(producer);
        posted = producer;
        unlock();
        owner.receiveDoorbell();
    }

    @Override
    public void abort() {
        clearError();
        wqe = NO_REQUEST;
        unlock();
    }

    /**
     * Moves the waiting requests to another queue and posts there from now on. The device must not consume meanwhile.
     *
     * @return false without effect if the other queue is too small
     */
    boolean moveTo(ReceiveQueue next) {
        lock();
        try {
            if (!ring.copyTo(next.ring())) {
                return false;
            }
            adopt(next);
            return true;
        } finally {
            unlock();
        }
    }

    /**
     * Continues in another queue, to which the device's end has moved the waiting requests.
     *
     * @param mover makes the device's end move, and returns its new queue; other posting threads spin meanwhile
     */
    public void follow(Supplier<ReceiveQueue> mover) {
        lock();
        try {
            adopt(mover.get());
        } finally {
            unlock();
        }
    }

    private void adopt(ReceiveQueue next) {
        queue = next;
        ring = next.postingRing();
        memory = ring.memory();
        posted = ring.ownProducer();
        consumer = ring.acquireConsumer();
    }

    private boolean isFull() {
        int next = ring.next(producer);
        if (next == consumer) {
            consumer = ring.acquireConsumer();
        }
        return next == consumer;
    }

    private void finishRequest() {
        if (wqe != NO_REQUEST) {
            ReceiveQueue.write(memory, wqe, wrId, numSge, (int) length);
            producer = ring.next(producer);
            wqe = NO_REQUEST;
        }
    }
}
