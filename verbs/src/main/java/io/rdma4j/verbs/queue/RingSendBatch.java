package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendBatch;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;

/**
 * The client's end of a {@link SendQueue}: writes elements into free slots and publishes them together.
 *
 * <p>One object a queue pair, reused by every batch; {@link #start()} takes the queue's spin lock, {@link #complete()} and
 * {@link #abort()} release it.
 */
public final class RingSendBatch implements SendBatch {
    private static final long MAX_MESSAGE_BYTES = 1L << 31;
    private static final long NO_REQUEST = -1;

    private final SendQueue queue;
    private final Ring ring;
    private final MemorySegment memory;
    private final QueueOwner owner;
    private final SpinLock lock = new SpinLock();
    private final PostError error = new PostError();

    private int producer;
    private int free;
    private long wqe = NO_REQUEST;

    private long nextWrId;
    private int nextFlags;

    private int flags;
    private int numSge;
    private long length;

    /** @param owner the queue pair whose state and doorbell count */
    public RingSendBatch(SendQueue queue, QueueOwner owner) {
        this.queue = queue;
        this.ring = queue.ring();
        this.memory = ring.memory();
        this.owner = owner;
    }

    /** Begins a batch: the queue belongs to the calling thread until it ends. */
    public SendBatch start() {
        lock.lock();
        error.clear();
        producer = ring.ownProducer();
        free = ring.capacity() - ring.distance(producer, ring.acquireConsumer());
        wqe = NO_REQUEST;
        nextWrId = 0;
        nextFlags = 0;
        return this;
    }

    @Override
    public SendBatch wrId(long wrId) {
        nextWrId = wrId;
        return this;
    }

    @Override
    public SendBatch signaled() {
        nextFlags |= SendFlag.SIGNALED.bit();
        return this;
    }

    @Override
    public SendBatch solicited() {
        nextFlags |= SendFlag.SOLICITED.bit();
        return this;
    }

    @Override
    public SendBatch fenced() {
        nextFlags |= SendFlag.FENCE.bit();
        return this;
    }

    @Override
    public SendBatch send() {
        begin(WrOpcode.SEND, 0);
        return this;
    }

    @Override
    public SendBatch sendImm(int immediate) {
        begin(WrOpcode.SEND_WITH_IMM, immediate);
        return this;
    }

    @Override
    public SendBatch sge(int lkey, long address, int lengthBytes) {
        if (wqe == NO_REQUEST) {
            noOperation();
        } else if ((flags & SendFlag.INLINE.bit()) != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (numSge == queue.maxSge()) {
            error.set(Errno.EINVAL, "more than max_send_sge = " + queue.maxSge() + " scatter/gather elements");
        } else {
            SgeLayout.write(memory, SendQueue.data(wqe, numSge), address, lengthBytes, lkey);
            numSge++;
            addLength(Integer.toUnsignedLong(lengthBytes));
        }
        return this;
    }

    @Override
    public SendBatch inline(MemorySegment data) {
        if (wqe == NO_REQUEST) {
            noOperation();
        } else if (numSge != 0) {
            error.set(Errno.EINVAL, "a request has inline data or scatter/gather elements, not both");
        } else if (data.byteSize() > queue.maxInlineData() - length) {
            error.set(
                    Errno.EINVAL,
                    "inline data of " + (length + data.byteSize()) + " bytes: max_inline_data is "
                            + queue.maxInlineData());
        } else {
            MemorySegment.copy(data, 0, memory, SendQueue.data(wqe, 0) + length, data.byteSize());
            flags |= SendFlag.INLINE.bit();
            addLength(data.byteSize());
        }
        return this;
    }

    @Override
    public void complete() {
        finishRequest();
        QpState state = owner.state();
        if (!state.acceptsSends()) {
            error.set(
                    Errno.EINVAL, "a send cannot be posted in state " + state + ": bring the queue pair to RTS first");
        }
        if (error.isSet()) {
            lock.unlock();
            error.raise();
        }
        ring.publishProducer(producer);
        lock.unlock();
        owner.sendDoorbell();
    }

    @Override
    public void abort() {
        lock.unlock();
    }

    private void begin(WrOpcode opcode, int immediate) {
        finishRequest();
        if (free == 0) {
            error.set(Errno.ENOMEM, "the send queue is full: it holds " + ring.capacity() + " work requests");
            return;
        }
        free--;
        wqe = ring.offset(producer);
        flags = nextFlags;
        numSge = 0;
        length = 0;
        SendQueue.writeHeader(memory, wqe, nextWrId, opcode.code(), flags, immediate);
        nextWrId = 0;
        nextFlags = 0;
    }

    private void finishRequest() {
        if (wqe != NO_REQUEST) {
            SendQueue.writeData(memory, wqe, flags, numSge, (int) length);
            producer = ring.next(producer);
            wqe = NO_REQUEST;
        }
    }

    private void addLength(long bytes) {
        length += bytes;
        if (length > MAX_MESSAGE_BYTES) {
            error.set(Errno.EINVAL, "a message of " + length + " bytes: the limit is 2^31");
        }
    }

    private void noOperation() {
        error.set(Errno.EINVAL, "data must follow an operation such as send()");
    }
}
