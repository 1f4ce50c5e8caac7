// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.base.SpinLock;
import io.rdma4j.verbs.CqInitAttributes;
import io.rdma4j.verbs.spi.CqSetup;
import io.rdma4j.verbs.values.CqCreateFlag;
import io.rdma4j.verbs.wr.CompletionField;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue: the ring, the layout of its entries and the device's end of it. Corresponds to {@code rxe_cqe}
 * and {@code rxe_cq_post}.
 *
 * <pre>
 *  0  wr_id (64)
 *  8  status (32)          12  opcode (32, WcOpcode code)
 * 16  vendor_err (32)      20  byte_len (32, unsigned)
 * 24  qp_num (32)          28  immediate data or revoked key (32)
 * 32  src_qp (32)          36  wc_flags (32)
 * 40  timestamp in ns (64), 0 if none was requested
 * 48  pkey_index (16)      50  slid (16)
 * 52  sl (8)               53  dlid_path_bits (8)          54  port_num (8)
 * </pre>
 *
 * <p>The device writes each line above as one word of 64 bits, the last two together, and a word of zeros behind them.
 *
 * <p>The device's end has a lock. The owner of the device's port loop posts single completions with {@link #post}. A
 * thread that completes several requests takes the lock once ({@link #lock}), appends the completions, and publishes
 * them together. Only the owner of the port loop raises events. Any thread may request events.
 */
public final class CompletionRing {
    static final long WR_ID = 0;
    static final long STATUS_AND_OPCODE = 8;
    static final long VENDOR_ERROR_AND_LENGTH = 16;
    static final long QP_NUMBER_AND_IMMEDIATE = 24;
    static final long SOURCE_QP_AND_FLAGS = 32;
    static final long TIMESTAMP = 40;
    static final long ROUTE = 48;

    /** Of the last word nothing is used. */
    private static final int ENTRY_BYTES = 64;

    private final CompletionOwner owner;
    private final CompletionNotice notice;
    private final boolean stamped;
    private final boolean lossy;
    private final boolean movable;
    private final @Nullable SegmentAllocator memory;

    private volatile CompletionSource[] sources = {};
    private volatile Ring ring;
    private volatile boolean broken;

    /** Guards the fields below. */
    private final SpinLock lock = new SpinLock();

    /** Slot of the next completion, and the number of slots that are known to be free. */
    private int producer;

    private int room;

    /** Completions for which the owner of the port loop must consider an event, and whether one is solicited. */
    private int unreported;

    private boolean solicitedUnreported;

    /** Completions before those that raised no event, because none was requested. */
    private int uneventful;

    /** The memory was closed, and the owner of the port loop does not know it yet. */
    private boolean errorDue;

    /**
     * Creates a queue for at least the requested number of completions, in the application's memory if it supplies
     * some.
     *
     * @param attributes its size, fields, flags and buffer
     * @param owner callbacks for its events
     * @throws RdmaException EINVAL if there are too many entries, or the memory is too small or misaligned
     */
    public CompletionRing(CqSetup attributes, CompletionOwner owner) {
        MemorySegment buffer = attributes.buffer();
        this.memory = attributes.queueMemory();
        this.ring = buffer == null
                ? Ring.create(attributes.entries(), ENTRY_BYTES, memory)
                : new Ring(attributes.entries(), ENTRY_BYTES, buffer);
        this.owner = owner;
        this.notice = new CompletionNotice(owner, ring);
        this.stamped = attributes.fields().contains(CompletionField.COMPLETION_TIMESTAMP);
        this.lossy = attributes.flags().contains(CqCreateFlag.IGNORE_OVERRUN);
        this.movable = buffer == null;
    }

    /**
     * {@return a queue of a device without clock and timers, whose events are ignored}
     *
     * @param entries minimum capacity in completions
     */
    public static CompletionRing silent(int entries) {
        return new CompletionRing(CqInitAttributes.of(entries), new NoOwner());
    }

    /**
     * {@return the polling end of a queue that another process fills, in shared memory}
     *
     * @param entries minimum capacity in completions
     * @param memory of length {@link #bytes}, at a multiple of 64
     */
    public static CompletionRing silent(int entries, MemorySegment memory) {
        return new CompletionRing(CqInitAttributes.of(entries).withBuffer(memory), new NoOwner());
    }

    private static final class NoOwner implements CompletionOwner {
        @Override
        public void completion() {
            // no listener
        }

        @Override
        public void error() {
            // the return value of post reports it
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public void deadlineChanged() {
            // no moderation
        }
    }

    /**
     * {@return bytes of memory of a queue for at least {@code entries} completions}
     *
     * @param entries at least 1
     */
    public static long bytes(int entries) {
        return Ring.bytes(entries, ENTRY_BYTES);
    }

    /**
     * Adds a source of completions. By the owner of the port loop.
     *
     * @param source polled by threads that poll the queue from now on; may be there already
     */
    public void add(CompletionSource source) {
        remove(source);
        CompletionSource[] more = Arrays.copyOf(sources, sources.length + 1);
        more[sources.length] = source;
        sources = more;
    }

    /**
     * Removes a source of completions. By the owner of the port loop.
     *
     * @param source polled no more, but by threads that poll at this moment
     */
    @SuppressWarnings("ReferenceEquality") // one object per source
    public void remove(CompletionSource source) {
        sources = Arrays.stream(sources).filter(other -> other != source).toArray(CompletionSource[]::new);
    }

    /** {@return true if there are sources of completions} Any thread. */
    public boolean hasSources() {
        return sources.length > 0;
    }

    /** {@return true if a source of completions had work; all of it is done} By a thread that polls the queue. */
    public boolean pollSources() {
        boolean found = false;
        for (CompletionSource source : sources) {
            found |= source.poll();
        }
        return found;
    }

    /** {@return the underlying ring; {@link #resize} replaces it} */
    public Ring ring() {
        return ring;
    }

    /**
     * Switches the polling end to the ring to which the other process has moved. No thread may poll meanwhile.
     *
     * @param entries minimum capacity in completions
     * @param memory of length {@link #bytes}
     */
    public void follow(int entries, MemorySegment memory) {
        Ring next = Ring.attach(entries, ENTRY_BYTES, memory);
        ring = next;
        notice.moveTo(next);
    }

    /** {@return true once a completion could not be posted; later completions are not posted either} */
    public boolean isBroken() {
        return broken;
    }

    /**
     * Posts a completion and raises the event if one was requested. By the owner of the port loop.
     *
     * @param entry read only during the call
     * @param solicited true if the peer marked the message as solicited; failed requests always count as solicited (IBA
     *     11.4.2.2)
     * @return false if the queue is broken: it was full, or the application has freed its memory
     */
    public boolean post(CompletionEntry entry, boolean solicited) {
        lock.lock();
        boolean posted = append(entry, solicited);
        boolean isDue = publish();
        lock.unlock();
        if (isDue) {
            raise();
        }
        return posted && !broken;
    }

    /** Appends a completion. Under the lock. */
    private boolean append(CompletionEntry entry, boolean solicited) {
        try {
            if (!hasRoom(1)) {
                return overrun();
            }
            boolean succeeded = entry.status == WcStatus.SUCCESS;
            if (succeeded) {
                write(ring.memory(), ring.offset(producer), entry);
            } else {
                writeFailed(ring.memory(), ring.offset(producer), entry);
            }
            count(solicited || !succeeded);
            return true;
        } catch (IllegalStateException closed) {
            broken = true;
            errorDue = true;
            return false;
        }
    }

    /** Handles a completion for which there is no room; returns true if it may be lost. */
    private boolean overrun() {
        if (broken || lossy) {
            return !broken;
        }
        broken = true;
        errorDue = true;
        return false;
    }

    private void count(boolean solicited) {
        producer = ring.next(producer);
        room--;
        unreported++;
        if (solicited) {
            solicitedUnreported = true;
        }
    }

    // Several completions under the lock

    /** Takes the lock of the device's end. The caller does not wait for another thread before {@link #unlock}. */
    public void lock() {
        lock.lock();
    }

    /**
     * Takes the locks of two queues, which may be the same.
     *
     * @param first a queue
     * @param second a queue
     */
    @SuppressWarnings("ReferenceEquality") // one object per queue
    public static void lock(CompletionRing first, CompletionRing second) {
        first.lock.lock();
        while (first != second && !second.lock.tryLock()) {
            // Another thread may take them in the other order.
            first.lock.unlock();
            Thread.onSpinWait();
            first.lock.lock();
        }
    }

    /** Releases the lock. */
    public void unlock() {
        lock.unlock();
    }

    /**
     * {@return true if completions can be appended} False if the queue is broken. Under the lock.
     *
     * @param completions at least 1
     * @throws IllegalStateException if the application has freed the memory
     */
    public boolean hasRoom(int completions) {
        return !broken && (room >= completions || findRoom() >= completions);
    }

    /** Reads how far the application has polled. */
    private int findRoom() {
        Ring now = ring;
        room = now.capacity() - now.distance(producer, now.acquireConsumer());
        return room;
    }

    /**
     * Appends the completion of a successful request, for which there is room. Under the lock.
     *
     * @param wrId the number of the work request
     * @param opcode operation of the request
     * @param length bytes received or moved
     * @param qpNumber the local queue pair, 24 bits
     * @param immediate immediate data
     * @param flags bits of {@link io.rdma4j.verbs.wr.WcFlag}
     * @param solicited true if the peer marked the message as solicited
     */
    public void append(
            long wrId, WcOpcode opcode, int length, int qpNumber, int immediate, int flags, boolean solicited) {
        RingMemory memory = ring.memory();
        long at = ring.offset(producer);
        try {
            memory.set(
                    at,
                    WR_ID,
                    wrId,
                    RingMemory.pair(WcStatus.SUCCESS.code(), opcode.code()),
                    RingMemory.pair(0, length),
                    RingMemory.pair(qpNumber, immediate));
            memory.set(at, SOURCE_QP_AND_FLAGS, RingMemory.pair(0, flags), stamp(), 0, 0);
            count(solicited);
        } catch (IllegalStateException closed) {
            broken = true;
            errorDue = true;
        }
    }

    /**
     * Publishes the appended completions. Under the lock.
     *
     * @return true if the owner of the port loop must call {@link #raise}
     */
    public boolean publish() {
        if (unreported == 0) {
            return errorDue;
        }
        try {
            ring.publishProducerFully(producer);
            boolean wanted = notice.isWanted(ring.request());
            if (!wanted) {
                uneventful += unreported;
                unreported = 0;
                solicitedUnreported = false;
            }
            return wanted || errorDue;
        } catch (IllegalStateException closed) {
            broken = true;
            errorDue = true;
            return true;
        }
    }

    /**
     * Raises the event of published completions if one was requested, and that of a queue that has broken. By the owner
     * of the port loop, without the lock.
     */
    public void raise() {
        // A thread that appends at this moment calls the owner of the loop afterwards.
        if (unreported == 0 && !errorDue) {
            return;
        }
        lock.lock();
        int completions = unreported == 0 ? 0 : unreported + uneventful;
        boolean solicited = solicitedUnreported;
        boolean error = errorDue;
        uneventful = unreported == 0 ? uneventful : 0;
        unreported = 0;
        solicitedUnreported = false;
        errorDue = false;
        lock.unlock();
        if (error) {
            owner.error();
        }
        if (completions > 0) {
            notice(completions, solicited);
        }
    }

    private void notice(int completions, boolean solicited) {
        int wanted;
        int waiting;
        try {
            wanted = ring.request();
            waiting = notice.countsWaiting() ? waiting() : 0;
        } catch (IllegalStateException closed) {
            // The next completion finds that the memory is gone.
            return;
        }
        notice.onPosted(completions, wanted, solicited);
        notice.onWaiting(waiting);
    }

    /**
     * Requests one event at the next completion, or at the next solicited one. The request is stored in the ring, so
     * that both processes of a shared queue can set it.
     *
     * @param solicitedOnly true to ignore completions that are not solicited
     * @return true if completions already wait in the queue: they raise no event, so the caller must poll before it
     *     sleeps
     */
    public boolean requestNotification(boolean solicitedOnly) {
        notice.arm(solicitedOnly);
        return waiting() > 0;
    }

    /**
     * Requests one event once at least {@code completions} wait, including those that already wait.
     *
     * @param completions 1 to the capacity
     */
    public void requestNotificationAt(int completions) {
        notice.armAt(completions);
        notice.onWaiting(waiting());
    }

    /** Number of waiting completions. Any thread; exact only while no thread posts or polls. */
    private int waiting() {
        Ring current = ring;
        return current.distance(current.acquireProducer(), current.acquireConsumer());
    }

    // Methods for the owner of the port loop

    /**
     * Moderates events: an event is raised after {@code count} completions, or {@code periodNs} after the last event,
     * whichever is first.
     *
     * @param count completions; 0 for no rule
     * @param periodNs nanoseconds; 0 for no rule
     */
    public void moderate(int count, long periodNs) {
        lock.lock();
        uneventful = 0;
        lock.unlock();
        notice.moderate(count, periodNs);
    }

    /** {@return the time at which {@link #onDeadline} must be called, or {@link io.rdma4j.base.Deadline#NEVER}} */
    public long nextDeadlineNs() {
        return notice.nextDeadlineNs();
    }

    /**
     * Raises the event that moderation delays, if its deadline has passed.
     *
     * @param nowNs time of the device's clock
     */
    public void onDeadline(long nowNs) {
        notice.onDeadline(nowNs);
    }

    /**
     * Moves to a ring for at least {@code entries} completions. No thread may poll meanwhile.
     *
     * @param entries at least 1
     * @throws RdmaException EINVAL if more than {@code entries} completions wait, or if the memory belongs to the
     *     application
     */
    public void resize(int entries) {
        if (!movable) {
            throw new RdmaException(
                    Errno.EINVAL, "a completion queue in memory of the program stays as large as it is");
        }
        Ring next = Ring.create(entries, ENTRY_BYTES, memory);
        lock.lock();
        try {
            if (entries < waiting() || !ring.copyTo(next)) {
                throw new RdmaException(
                        Errno.EINVAL, "cqe " + entries + ": more completions than that wait, namely " + waiting());
            }
            producer = next.ownProducer();
            room = 0;
            ring = next;
        } finally {
            lock.unlock();
        }
        notice.moveTo(next);
    }

    private void write(RingMemory memory, long at, CompletionEntry entry) {
        memory.set(
                at,
                WR_ID,
                entry.wrId,
                RingMemory.pair(WcStatus.SUCCESS.code(), entry.opcode.code()),
                RingMemory.pair(entry.vendorError, entry.byteLength),
                RingMemory.pair(entry.qpNumber, entry.immediate));
        memory.set(at, SOURCE_QP_AND_FLAGS, RingMemory.pair(entry.sourceQp, entry.flags), stamp(), entry.route, 0);
    }

    /**
     * Writes the completion of a failed request. The fields that are not valid for it are 0: the entry may contain
     * fields of the packet that failed.
     */
    private void writeFailed(RingMemory memory, long at, CompletionEntry entry) {
        memory.set(
                at,
                WR_ID,
                entry.wrId,
                RingMemory.pair(entry.status.code(), entry.opcode.code()),
                RingMemory.pair(entry.vendorError, 0),
                RingMemory.pair(entry.qpNumber, 0));
        memory.set(at, SOURCE_QP_AND_FLAGS, 0, stamp(), 0, 0);
    }

    private long stamp() {
        return stamped ? owner.nanoTime() : 0;
    }
}
