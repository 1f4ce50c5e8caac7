package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A single-producer single-consumer ring of fixed-size elements in off-heap memory.
 *
 * <pre>
 *   0  log2 of the element size (32 bits)      4  index mask (32 bits)
 *   8  request of the consumer (32 bits), 0 for none: written by both; of a completion queue only, see {@link CompletionRing#requestNotification}
 *  64  producer index (32 bits), written by the producer only
 * 128  consumer index (32 bits), written by the consumer only
 * 192  elements
 * </pre>
 *
 * <p>Indexes run over the slots {@code 0..mask}; equal indexes mean empty, so one slot always stays free and a ring of
 * {@code 2^n} slots holds {@code 2^n - 1} elements. The fields above are in native byte order, those of elements
 * little-endian. Each side keeps its own index on a
 * cache line of its own and publishes it with release order after it wrote (read) the element; the other side reads it
 * with acquire order before it reads (overwrites) the element.
 *
 * <p>Memory that the ring has allocated itself lives as long as somebody refers to it.
 */
public final class Ring {
    /** A ring, and each of its elements, begins at a multiple of this: a cache line. */
    public static final int ALIGNMENT = 64;

    private static final long LOG2_ELEMENT_OFFSET = 0;
    private static final long MASK_OFFSET = 4;
    private static final long REQUEST_OFFSET = 8;
    private static final long PRODUCER_OFFSET = 64;
    private static final long CONSUMER_OFFSET = 128;
    private static final long ELEMENTS_OFFSET = 192;
    private static final int MAX_SLOTS = 1 << 24;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final VarHandle INDEX = INT.varHandle();

    private final MemorySegment memory;
    private final int mask;
    private final int log2Element;

    /**
     * Allocates a ring for at least {@code minEntries} elements of at least {@code elementBytes}.
     *
     * @param minEntries 1 to 2^24 - 1; the number of slots is the power of two above
     * @param elementBytes rounded up to a power of two, 64 or more
     * @throws RdmaException EINVAL if {@code minEntries} is below 1 or above 2^24 - 1
     */
    public Ring(int minEntries, int elementBytes) {
        this(minEntries, elementBytes, Arena.ofAuto());
    }

    /** The same in memory that somebody else allocates, and who sees to it that it lives. */
    Ring(int minEntries, int elementBytes, SegmentAllocator memory) {
        this(minEntries, elementBytes, memory.allocate(bytes(minEntries, elementBytes), ALIGNMENT));
    }

    /**
     * Puts a ring into memory that somebody else has allocated, and who sees to it that it lives.
     *
     * @param minEntries 1 to 2^24 - 1; the number of slots is the power of two above
     * @param elementBytes rounded up to a power of two, 64 or more
     * @param memory as long as {@link #bytes} says; zeros are not needed
     * @throws RdmaException EINVAL as above, and if the memory is not native, not writable, not at a multiple of 64, or shorter
     *     than {@link #bytes}
     */
    public Ring(int minEntries, int elementBytes, MemorySegment memory) {
        check(memory, bytes(minEntries, elementBytes));
        this.mask = slots(minEntries) - 1;
        this.log2Element = log2(elementBytes);
        this.memory = memory;
        memory.set(INT, LOG2_ELEMENT_OFFSET, log2Element);
        memory.set(INT, MASK_OFFSET, mask);
        memory.set(INT, REQUEST_OFFSET, 0);
        memory.set(INT, PRODUCER_OFFSET, 0);
        memory.set(INT, CONSUMER_OFFSET, 0);
    }

    private Ring(MemorySegment memory, int mask, int log2Element) {
        this.memory = memory;
        this.mask = mask;
        this.log2Element = log2Element;
    }

    /**
     * {@return the other end of a ring that another process has put into memory of both} Its indexes stay as they are; sizes are those of the
     * arguments, whatever the memory says.
     *
     * @param minEntries as the ring was made with
     * @param elementBytes as the ring was made with
     * @param memory as long as {@link #bytes} says
     * @throws RdmaException EINVAL as for a new ring
     */
    static Ring attach(int minEntries, int elementBytes, MemorySegment memory) {
        check(memory, bytes(minEntries, elementBytes));
        return new Ring(memory, slots(minEntries) - 1, log2(elementBytes));
    }

    /**
     * {@return bytes of a ring for at least {@code minEntries} elements of at least {@code elementBytes}}
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

    private static void check(MemorySegment memory, long bytes) {
        boolean usable = memory.isNative() && !memory.isReadOnly() && memory.address() % ALIGNMENT == 0;
        if (!usable || memory.byteSize() < bytes) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "a queue needs " + bytes + " bytes of native, writable memory at a multiple of " + ALIGNMENT
                            + ", not " + memory);
        }
    }

    /** {@return the whole ring, header first} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return how many elements fit} */
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
     * @param index as {@link #next} counts
     */
    public int next(int index) {
        return (index + 1) & mask;
    }

    /**
     * {@return how many elements lie from {@code consumer} up to {@code producer}}
     *
     * @param producer index up to which elements were put
     * @param consumer index up to which elements were taken
     */
    public int distance(int producer, int consumer) {
        return (producer - consumer) & mask;
    }

    /**
     * {@return where the element of {@code index} lies in {@link #memory()}}
     *
     * @param index as {@link #next} counts
     */
    public long offset(int index) {
        return ELEMENTS_OFFSET + ((long) (index & mask) << log2Element);
    }

    /** {@return the producer's index, for the consumer, who may not trust it: what was written before it is visible} */
    public int acquireProducer() {
        return (int) INDEX.getAcquire(memory, PRODUCER_OFFSET) & mask;
    }

    /**
     * {@return the consumer's index, for the producer, who may not trust it: the slots before it may be overwritten}
     */
    public int acquireConsumer() {
        return (int) INDEX.getAcquire(memory, CONSUMER_OFFSET) & mask;
    }

    /** {@return the producer's index, for the producer itself} */
    public int ownProducer() {
        return memory.get(INT, PRODUCER_OFFSET);
    }

    /** {@return the consumer's index, for the consumer itself} */
    public int ownConsumer() {
        return memory.get(INT, CONSUMER_OFFSET);
    }

    /** {@return true if there is no element, for the consumer} */
    public boolean isEmpty() {
        return distance(acquireProducer(), ownConsumer()) == 0;
    }

    /** Gives all elements that there are now back to the producer, for the consumer. */
    public void clear() {
        publishConsumer(acquireProducer());
    }

    /**
     * Makes all elements before {@code index} visible to the consumer.
     *
     * @param index as {@link #next} counts
     */
    public void publishProducer(int index) {
        INDEX.setRelease(memory, PRODUCER_OFFSET, index);
    }

    /**
     * As {@link #publishProducer}, and ordered before whatever the producer reads next: needed where the producer then
     * looks whether the consumer went to sleep.
     *
     * @param index as {@link #next} counts
     */
    public void publishProducerFully(int index) {
        INDEX.setVolatile(memory, PRODUCER_OFFSET, index);
    }

    /** The request of the consumer, for the producer, which must not trust it; read after what was published fully. */
    int request() {
        return (int) INDEX.getVolatile(memory, REQUEST_OFFSET);
    }

    /** Makes the request at least {@code wanted}; ordered before what the consumer reads next. Any thread. */
    void raiseRequest(int wanted) {
        int now = request();
        while (now < wanted && !INDEX.compareAndSet(memory, REQUEST_OFFSET, now, wanted)) {
            now = request();
        }
    }

    /** The request, which is none from now on. Any thread. */
    int takeRequest() {
        return (int) INDEX.getAndSet(memory, REQUEST_OFFSET, 0);
    }

    /**
     * Copies what waits here to an empty ring. Neither end may move meanwhile.
     *
     * @param target an empty one
     * @return false if the other ring is too small: nothing has changed then
     */
    public boolean copyTo(Ring target) {
        int consumer = ownConsumer();
        int waiting = distance(ownProducer(), consumer);
        if (waiting > target.capacity()) {
            return false;
        }
        int bytes = Math.min(elementBytes(), target.elementBytes());
        for (int i = 0; i < waiting; i++) {
            MemorySegment.copy(memory, offset(consumer + i), target.memory, target.offset(i), bytes);
        }
        target.publishProducer(waiting);
        return true;
    }

    /**
     * Gives all elements before {@code index} back to the producer.
     *
     * @param index as {@link #next} counts
     */
    public void publishConsumer(int index) {
        INDEX.setRelease(memory, CONSUMER_OFFSET, index);
    }
}
