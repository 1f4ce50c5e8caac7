// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi.ring;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A single-producer single-consumer ring of fixed-size elements, see {@link RingMemory}.
 *
 * <pre>
 *   0  log2 of the element size (32 bits)      4  index mask (32 bits)
 *   8  request of the consumer (32 bits), 0 for none; both sides write it;
 *      for completion queues only, see {@link CompletionRing#requestNotification}
 *  64  producer index (32 bits), written by the producer only
 * 128  consumer index (32 bits), written by the consumer only
 * 192  elements
 * </pre>
 *
 * <p>Indexes run over the slots {@code 0..mask}. Equal indexes mean empty, so one slot always stays free and a ring of
 * {@code 2^n} slots holds {@code 2^n - 1} elements.
 *
 * <p>Each side keeps its own index on a cache line of its own. It publishes the index with release order after it has
 * written (read) the element. The other side reads the index with acquire order before it reads (overwrites) the
 * element.
 *
 * <p>The memory of a ring on the heap exists as long as it is reachable.
 */
public final class Ring {
    /** Alignment of a ring and of each of its elements: a cache line. */
    public static final int ALIGNMENT = 64;

    private static final long SIZES_OFFSET = 0;
    private static final long REQUEST_OFFSET = 8;
    private static final long PRODUCER_OFFSET = 64;
    private static final long CONSUMER_OFFSET = 128;
    private static final long ELEMENTS_OFFSET = 192;
    private static final int MAX_SLOTS = 1 << 24;

    private final RingMemory memory;
    private final int mask;
    private final int log2Element;

    /**
     * Creates a ring on the Java heap for at least {@code minEntries} elements of at least {@code elementBytes}.
     *
     * @param minEntries 1 to 2^24 - 1; the number of slots is the power of two above
     * @param elementBytes rounded up to a power of two, 64 or more
     * @throws RdmaException EINVAL if {@code minEntries} is below 1 or above 2^24 - 1
     */
    public Ring(int minEntries, int elementBytes) {
        this(RingMemory.allocate(bytes(minEntries, elementBytes)), minEntries, elementBytes);
        writeHeader();
    }

    /**
     * Creates a ring in memory of the given allocator, or on the Java heap if there is none. The caller keeps the
     * memory allocated.
     */
    static Ring create(int minEntries, int elementBytes, @Nullable SegmentAllocator memory) {
        return memory == null
                ? new Ring(minEntries, elementBytes)
                : new Ring(minEntries, elementBytes, memory.allocate(bytes(minEntries, elementBytes), ALIGNMENT));
    }

    /**
     * Creates a ring in existing memory. The caller keeps the memory allocated.
     *
     * @param minEntries 1 to 2^24 - 1; the number of slots is the power of two above
     * @param elementBytes rounded up to a power of two, 64 or more
     * @param memory of length {@link #bytes}; need not be zeroed
     * @throws RdmaException EINVAL if {@code minEntries} is out of range, or if the memory is not native, not writable,
     *     not at a multiple of 64, or shorter than {@link #bytes}
     */
    public Ring(int minEntries, int elementBytes, MemorySegment memory) {
        this(checked(memory, bytes(minEntries, elementBytes)), minEntries, elementBytes);
        writeHeader();
    }

    private Ring(RingMemory memory, int minEntries, int elementBytes) {
        this.memory = memory;
        this.mask = slots(minEntries) - 1;
        this.log2Element = log2(elementBytes);
    }

    private void writeHeader() {
        memory.set(SIZES_OFFSET, RingMemory.pair(log2Element, mask));
        memory.set(REQUEST_OFFSET, 0);
        memory.set(PRODUCER_OFFSET, 0);
        memory.set(CONSUMER_OFFSET, 0);
    }

    /**
     * {@return the other end of a ring that another process has created in shared memory} Keeps the indexes. Uses the
     * sizes of the arguments and ignores those in the memory.
     *
     * @param minEntries as at the ring's creation
     * @param elementBytes as at the ring's creation
     * @param memory of length {@link #bytes}
     * @throws RdmaException EINVAL as for a new ring
     */
    static Ring attach(int minEntries, int elementBytes, MemorySegment memory) {
        return new Ring(checked(memory, bytes(minEntries, elementBytes)), minEntries, elementBytes);
    }

    /**
     * {@return the bytes of a ring for at least {@code minEntries} elements of at least {@code elementBytes}}
     *
     * @param minEntries 1 to 2^24 - 1; the number of slots is the power of two above
     * @param elementBytes rounded up to a power of two, 64 or more
     * @throws RdmaException EINVAL if {@code minEntries} is below 1 or above 2^24 - 1
     */
    public static long bytes(int minEntries, int elementBytes) {
        if (minEntries < 1 || minEntries >= MAX_SLOTS) {
            throw new RdmaException(
                    Errno.EINVAL, "a queue of " + minEntries + " entries: the limits are 1.." + (MAX_SLOTS - 1));
        }
        return ELEMENTS_OFFSET + ((long) slots(minEntries) << log2(elementBytes));
    }

    private static int slots(int minEntries) {
        return Integer.highestOneBit(minEntries) << 1;
    }

    private static int log2(int elementBytes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(elementBytes, ALIGNMENT) - 1);
    }

    private static RingMemory checked(MemorySegment memory, long bytes) {
        boolean usable = memory.isNative() && !memory.isReadOnly() && memory.address() % ALIGNMENT == 0;
        if (!usable || memory.byteSize() < bytes) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a queue needs " + bytes + " bytes of native, writable memory at a multiple of " + ALIGNMENT
                            + ", not " + memory);
        }
        return RingMemory.of(memory);
    }

    /** {@return the memory of the whole ring, header first} */
    public RingMemory memory() {
        return memory;
    }

    /** {@return the maximum number of elements} */
    public int capacity() {
        return mask;
    }

    /** {@return bytes of an element} */
    public int elementBytes() {
        return 1 << log2Element;
    }

    /**
     * {@return the index after {@code index}}
     *
     * @param index a ring index
     */
    public int next(int index) {
        return (index + 1) & mask;
    }

    /**
     * {@return the index before {@code index}}
     *
     * @param index a ring index
     */
    int previous(int index) {
        return (index - 1) & mask;
    }

    /**
     * {@return the number of elements from {@code consumer} up to {@code producer}}
     *
     * @param producer a producer index
     * @param consumer a consumer index
     */
    public int distance(int producer, int consumer) {
        return (producer - consumer) & mask;
    }

    /**
     * {@return the offset of the element of {@code index} in {@link #memory()}}
     *
     * @param index a ring index
     */
    public long offset(int index) {
        return ELEMENTS_OFFSET + ((long) (index & mask) << log2Element);
    }

    /**
     * {@return the producer index, masked} For the consumer, which must not trust it. All writes before its publication
     * are visible.
     */
    public int acquireProducer() {
        return memory.indexAcquire(PRODUCER_OFFSET) & mask;
    }

    /**
     * {@return the consumer index, masked} For the producer, which must not trust it. The producer may overwrite the
     * slots before it.
     */
    public int acquireConsumer() {
        return memory.indexAcquire(CONSUMER_OFFSET) & mask;
    }

    /** {@return the producer index, for the producer itself} */
    public int ownProducer() {
        return memory.index(PRODUCER_OFFSET);
    }

    /** {@return the consumer index, for the consumer itself} */
    public int ownConsumer() {
        return memory.index(CONSUMER_OFFSET);
    }

    /** {@return true if there is no element} For the consumer. */
    public boolean isEmpty() {
        return distance(acquireProducer(), ownConsumer()) == 0;
    }

    /** Releases all present elements to the producer. For the consumer. */
    public void clear() {
        publishConsumer(acquireProducer());
    }

    /**
     * Makes all elements before {@code index} visible to the consumer.
     *
     * @param index a ring index
     */
    public void publishProducer(int index) {
        memory.indexRelease(PRODUCER_OFFSET, index);
    }

    /**
     * Publishes like {@link #publishProducer}, and before any later read of the producer (volatile). Needed if the
     * producer then checks whether the consumer sleeps.
     *
     * @param index a ring index
     */
    public void publishProducerFully(int index) {
        memory.indexVolatile(PRODUCER_OFFSET, index);
    }

    /**
     * The consumer's request. For the producer, which must not trust it and reads it after
     * {@link #publishProducerFully}.
     */
    int request() {
        return memory.indexVolatile(REQUEST_OFFSET);
    }

    /** Raises the request to at least {@code wanted}, before any later read of the consumer. Any thread. */
    void raiseRequest(int wanted) {
        int now = request();
        while (now < wanted && !memory.replaceIndex(REQUEST_OFFSET, now, wanted)) {
            now = request();
        }
    }

    /** Returns the request and clears it. Any thread. */
    int takeRequest() {
        return memory.swapIndex(REQUEST_OFFSET, 0);
    }

    /**
     * Copies the waiting elements to an empty ring. No thread may use either end meanwhile.
     *
     * @param target an empty ring
     * @return false without effect if the other ring is too small
     */
    public boolean copyTo(Ring target) {
        int consumer = ownConsumer();
        int waiting = distance(ownProducer(), consumer);
        if (waiting > target.capacity()) {
            return false;
        }
        int bytes = Math.min(elementBytes(), target.elementBytes());
        for (int i = 0; i < waiting; i++) {
            memory.copyTo(offset(consumer + i), target.memory, target.offset(i), bytes);
        }
        target.publishProducer(waiting);
        return true;
    }

    /**
     * Releases all elements before {@code index} to the producer.
     *
     * @param index a ring index
     */
    public void publishConsumer(int index) {
        memory.indexRelease(CONSUMER_OFFSET, index);
    }
}
