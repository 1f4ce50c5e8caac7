package io.rdma4j.verbs.queue;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A single-producer single-consumer ring of fixed-size elements in off-heap memory.
 *
 * <pre>
 *   0  log2 of the element size (32 bits)      4  index mask (32 bits)
 *  64  producer index (32 bits), written by the producer only
 * 128  consumer index (32 bits), written by the consumer only
 * 192  elements
 * </pre>
 *
 * <p>Indexes run over the slots {@code 0..mask}; equal indexes mean empty, so one slot always stays free and a ring of
 * {@code 2^n} slots holds {@code 2^n - 1} elements. Fields are in native byte order. Each side keeps its own index on a
 * cache line of its own and publishes it with release order after it wrote (read) the element; the other side reads it
 * with acquire order before it reads (overwrites) the element.
 *
 * <p>The memory lives as long as somebody refers to the ring.
 */
public final class Ring {
    private static final long LOG2_ELEMENT_OFFSET = 0;
    private static final long MASK_OFFSET = 4;
    private static final long PRODUCER_OFFSET = 64;
    private static final long CONSUMER_OFFSET = 128;
    private static final long ELEMENTS_OFFSET = 192;
    private static final int CACHE_LINE = 64;
    private static final int MAX_SLOTS = 1 << 24;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final VarHandle INDEX = INT.varHandle();

    private final MemorySegment memory;
    private final int mask;
    private final int log2Element;

    /**
     * Allocates a ring for at least {@code minEntries} elements of at least {@code elementBytes}.
     *
     * @throws RdmaException EINVAL if {@code minEntries} is below 1 or above 2^24 - 1
     */
    public Ring(int minEntries, int elementBytes) {
        if (minEntries < 1 || minEntries >= MAX_SLOTS) {
            throw new RdmaException(
                    Errno.EINVAL, "a queue of " + minEntries + " entries: the limits are 1.." + (MAX_SLOTS - 1));
        }
        int slots = Integer.highestOneBit(minEntries) << 1;
        this.mask = slots - 1;
        this.log2Element = 32 - Integer.numberOfLeadingZeros(Math.max(elementBytes, CACHE_LINE) - 1);
        long bytes = ELEMENTS_OFFSET + ((long) slots << log2Element);
        this.memory = Arena.ofAuto().allocate(bytes, CACHE_LINE);
        memory.set(INT, LOG2_ELEMENT_OFFSET, log2Element);
        memory.set(INT, MASK_OFFSET, mask);
    }

    /** The whole ring, header first. */
    public MemorySegment memory() {
        return memory;
    }

    /** How many elements fit. */
    public int capacity() {
        return mask;
    }

    /** Bytes of an element. */
    public int elementBytes() {
        return 1 << log2Element;
    }

    /** The index after {@code index}. */
    public int next(int index) {
        return (index + 1) & mask;
    }

    /** How many elements lie from {@code consumer} up to {@code producer}. */
    public int distance(int producer, int consumer) {
        return (producer - consumer) & mask;
    }

    /** Where the element of {@code index} lies in {@link #memory()}. */
    public long offset(int index) {
        return ELEMENTS_OFFSET + ((long) (index & mask) << log2Element);
    }

    /** The producer's index, for the consumer, who may not trust it: what was written before it is visible. */
    public int acquireProducer() {
        return (int) INDEX.getAcquire(memory, PRODUCER_OFFSET) & mask;
    }

    /** The consumer's index, for the producer, who may not trust it: the slots before it may be overwritten. */
    public int acquireConsumer() {
        return (int) INDEX.getAcquire(memory, CONSUMER_OFFSET) & mask;
    }

    /** The producer's index, for the producer itself. */
    public int ownProducer() {
        return memory.get(INT, PRODUCER_OFFSET);
    }

    /** The consumer's index, for the consumer itself. */
    public int ownConsumer() {
        return memory.get(INT, CONSUMER_OFFSET);
    }

    /** Makes all elements before {@code index} visible to the consumer. */
    public void publishProducer(int index) {
        INDEX.setRelease(memory, PRODUCER_OFFSET, index);
    }

    /**
     * As {@link #publishProducer}, and ordered before whatever the producer reads next: needed where the producer then
     * looks whether the consumer went to sleep.
     */
    public void publishProducerFully(int index) {
        INDEX.setVolatile(memory, PRODUCER_OFFSET, index);
    }

    /** Gives all elements before {@code index} back to the producer. */
    public void publishConsumer(int index) {
        INDEX.setRelease(memory, CONSUMER_OFFSET, index);
    }
}
