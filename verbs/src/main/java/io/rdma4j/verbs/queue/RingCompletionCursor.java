package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.CompletionCursor;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import java.lang.foreign.MemorySegment;

/** The client's end of a {@link CompletionRing}: one object a completion queue, reused by every poll. */
public final class RingCompletionCursor implements CompletionCursor {
    private final CompletionRing queue;
    private final Runnable progress;
    private final SpinLock lock = new SpinLock();

    /** The thread that holds the lock, by its number; stale for any other thread, and only its own number means anything to a thread. */
    private long holder;

    private Ring ring;
    private MemorySegment memory;
    private int first;
    private int consumer;
    private int producer;
    private long entry;

    /**
     * The cursor of a queue, which has one.
     *
     * @param queue what it goes over
     * @param progress lets the device work on the calling thread; run when a poll finds the queue empty
     */
    public RingCompletionCursor(CompletionRing queue, Runnable progress) {
        this.queue = queue;
        this.progress = progress;
        follow(queue.ring());
    }

    /** Goes on where the completions of this ring begin. */
    private void follow(Ring next) {
        ring = next;
        memory = next.memory();
        consumer = next.ownConsumer();
    }

    /**
     * Begins a poll: the queue belongs to the calling thread until {@link #close()}.
     *
     * @return this cursor, before the first completion
     * @throws RdmaException EDEADLK if the calling thread is polling the queue already; EFAULT if the program has closed the memory of the queue
     */
    public CompletionCursor start() {
        lock();
        try {
            Ring now = queue.ring();
            if (now != ring) {
                follow(now);
            }
            first = consumer;
            producer = ring.acquireProducer();
        } catch (IllegalStateException closed) {
            unlock();
            throw new RdmaException(Errno.EFAULT, "the program has closed the memory of this completion queue", closed);
        }
        return this;
    }

    /** {@return how many completions wait; other pollers are waited for} */
    public int waiting() {
        try (CompletionCursor _ = start()) {
            return ring.distance(producer, first);
        }
    }

    /**
     * Runs something while nobody polls, such as {@link CompletionRing#resize}.
     *
     * @param operation short, since pollers spin
     * @throws RdmaException EDEADLK if the calling thread is polling the queue
     */
    public void exclusively(Runnable operation) {
        lock();
        try {
            operation.run();
        } finally {
            unlock();
        }
    }

    /** An event handler that runs in the middle of a poll of its own thread would wait for that poll, which waits for the handler. */
    private void lock() {
        long self = Thread.currentThread().threadId();
        if (holder == self) {
            throw new RdmaException(
                    Errno.EDEADLK,
                    "this thread is polling this completion queue already: an event handler must leave the queue to"
                            + " another thread, and a cursor must be closed before the next poll");
        }
        lock.lock();
        holder = self;
    }

    private void unlock() {
        holder = 0;
        lock.unlock();
    }

    @Override
    public boolean next() {
        if (consumer == producer) {
            if (consumer == first) {
                progress.run();
            }
            producer = ring.acquireProducer();
            if (consumer == producer) {
                return false;
            }
        }
        entry = ring.offset(consumer);
        consumer = ring.next(consumer);
        return true;
    }

    @Override
    public long wrId() {
        return memory.get(Words.LONG, entry + CompletionRing.WR_ID);
    }

    @Override
    public WcStatus status() {
        return WcStatus.ofCode(memory.get(Words.INT, entry + CompletionRing.STATUS));
    }

    @Override
    public WcOpcode opcode() {
        return WcOpcode.ofCode(memory.get(Words.INT, entry + CompletionRing.OPCODE));
    }

    @Override
    public int vendorError() {
        return memory.get(Words.INT, entry + CompletionRing.VENDOR_ERROR);
    }

    @Override
    public int byteLength() {
        return memory.get(Words.INT, entry + CompletionRing.BYTE_LENGTH);
    }

    @Override
    public int qpNumber() {
        return memory.get(Words.INT, entry + CompletionRing.QP_NUMBER);
    }

    @Override
    public int flags() {
        return memory.get(Words.INT, entry + CompletionRing.FLAGS);
    }

    @Override
    public int immediate() {
        return memory.get(Words.INT, entry + CompletionRing.IMMEDIATE);
    }

    @Override
    public int sourceQp() {
        return memory.get(Words.INT, entry + CompletionRing.SOURCE_QP);
    }

    @Override
    public int pkeyIndex() {
        return Short.toUnsignedInt(memory.get(Words.SHORT, entry + CompletionRing.PKEY_INDEX));
    }

    @Override
    public int sourceLid() {
        return Short.toUnsignedInt(memory.get(Words.SHORT, entry + CompletionRing.SOURCE_LID));
    }

    @Override
    public int serviceLevel() {
        return memory.get(Words.BYTE, entry + CompletionRing.SERVICE_LEVEL);
    }

    @Override
    public int destinationPathBits() {
        return memory.get(Words.BYTE, entry + CompletionRing.PATH_BITS);
    }

    @Override
    public int port() {
        return Byte.toUnsignedInt(memory.get(Words.BYTE, entry + CompletionRing.PORT));
    }

    @Override
    public long timestampNs() {
        return memory.get(Words.LONG, entry + CompletionRing.TIMESTAMP);
    }

    @Override
    public void close() {
        if (consumer != first) {
            ring.publishConsumer(consumer);
        }
        unlock();
    }
}
