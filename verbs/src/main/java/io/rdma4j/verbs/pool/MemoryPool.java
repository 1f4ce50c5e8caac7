package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory in stock. Blocks have sizes of powers of two; those of one size are cut from slabs, each of which is one
 * memory region, registered when it is needed. The pool never has more memory than its options allow.
 *
 * <p>It has two doors: {@link #lease} gives an object for try-with-resources; {@link #take} and {@link #give} work with numbers and
 * allocate nothing. Any thread may call; there is one short lock a size. The maker of the pool closes it before the protection
 * domain.
 *
 * {@snippet :
 * try (MemoryLease buffer = pool.lease(4096)) {
 *     qp.postReceive(ReceiveRequest.of(1, buffer.sge(0, 4096)));
 *     // until it has completed
 * }
 * }
 */
public final class MemoryPool implements AutoCloseable {
    private final ProtectionDomain pd;
    private final MemoryPoolOptions options;
    private final SizeClass[] classes;
    private final int smallestShift;
    private final @Nullable LeaseWatch watch;
    private final AtomicLong refusals = new AtomicLong();
    private final AtomicLong leaks = new AtomicLong();
    private int slabs;
    private volatile boolean closed;

    /**
     * An empty pool; nothing is registered yet.
     *
     * @param pd the domain of the queue pairs that will use the memory; to be closed after the pool
     * @param options sizes, limits and rights
     */
    public MemoryPool(ProtectionDomain pd, MemoryPoolOptions options) {
        this.pd = pd;
        this.options = options;
        this.smallestShift = Integer.numberOfTrailingZeros(options.minBlockBytes());
        this.classes = new SizeClass[Integer.numberOfTrailingZeros(options.maxBlockBytes()) - smallestShift + 1];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new SizeClass(i, options.minBlockBytes() << i, options.slabBytes());
        }
        this.watch = options.watchesLeases() ? new LeaseWatch() : null;
    }

    /** {@return how it works} */
    public MemoryPoolOptions options() {
        return options;
    }

    // Leases

    /**
     * {@return memory for a while} What the block holds besides is not used.
     *
     * @param lengthBytes 1 to the largest block
     * @throws RdmaException EINVAL for no bytes, for more than the largest block, and once the pool is closed; ENOMEM if all blocks
     *     are taken and the pool must not grow; whatever registering memory throws
     */
    public MemoryLease lease(int lengthBytes) {
        if (watch != null) {
            watch.findLost(this::found);
        }
        return new MemoryLease(this, take(lengthBytes), lengthBytes, watch);
    }

    private void found(LeaseWatch.Mark lost) {
        give(lost.handle());
        leaks.incrementAndGet();
        options.leakHandler().accept(lost.place());
    }

    void close(MemoryLease lease) {
        if (give(lease.handle()) && watch != null && lease.mark() != null) {
            watch.closed(lease.mark());
        }
    }

    /** {@return the leases that are open, with the places where they were taken; empty unless leases are watched} */
    public List<MemoryLeak> openLeases() {
        return watch == null ? List.of() : watch.open();
    }

    // Blocks

    /**
     * Takes a block that is large enough, without an object. Allocates nothing but when the pool grows.
     *
     * @param lengthBytes 1 to the largest block
     * @return a handle for the other calls, never negative; it is good until it is given back
     * @throws RdmaException as {@link #lease}
     */
    public long take(int lengthBytes) {
        if (lengthBytes < 1 || lengthBytes > options.maxBlockBytes()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    lengthBytes + " bytes are not in 1.." + options.maxBlockBytes() + ", the pool's largest block");
        }
        int shift = Integer.SIZE - Integer.numberOfLeadingZeros(lengthBytes - 1);
        SizeClass sizes = classes[Math.max(0, shift - smallestShift)];
        long handle = sizes.take();
        while (handle == SizeClass.NONE) {
            grow(sizes);
            handle = sizes.take();
        }
        // Closing says so first and counts the taken blocks then: one of the two sees the other.
        if (closed) {
            sizes.give(handle);
            throw closed();
        }
        return handle;
    }

    /**
     * Gives a block back.
     *
     * @param handle what {@link #take} returned
     * @return false if that has happened already, or the handle is of none: nothing happens then
     */
    public boolean give(long handle) {
        int number = BlockHandle.sizeClass(handle);
        return handle >= 0 && number < classes.length && classes[number].give(handle);
    }

    /**
     * {@return the memory of a block, all of it: the same object each time}
     *
     * @param handle what {@link #take} returned
     * @throws RdmaException EINVAL if the block was given back
     */
    public MemorySegment segment(long handle) {
        return slab(handle).block(sizes(handle).indexInSlab(handle));
    }

    /**
     * {@return what work requests call the first byte of a block}
     *
     * @param handle what {@link #take} returned
     * @throws RdmaException EINVAL if the block was given back
     */
    public long address(long handle) {
        Slab slab = slab(handle);
        SizeClass sizes = sizes(handle);
        return slab.region().iova() + (long) sizes.indexInSlab(handle) * sizes.blockBytes();
    }

    /**
     * {@return the region that a block is a part of: its keys are the block's}
     *
     * @param handle what {@link #take} returned
     * @throws RdmaException EINVAL if the block was given back
     */
    public MemoryRegion region(long handle) {
        return slab(handle).region();
    }

    /** True until it is given back. */
    boolean isTaken(long handle) {
        return sizes(handle).slab(handle) != null;
    }

    private Slab slab(long handle) {
        int number = BlockHandle.sizeClass(handle);
        Slab slab = handle >= 0 && number < classes.length ? classes[number].slab(handle) : null;
        if (slab == null) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("0x%x is no block that is taken: was it given back?", handle));
        }
        return slab;
    }

    private SizeClass sizes(long handle) {
        return classes[BlockHandle.sizeClass(handle)];
    }

    // The slabs

    /** One more slab; if the pool must not grow, instead of one that nobody uses. */
    private synchronized void grow(SizeClass sizes) {
        if (closed) {
            throw closed();
        }
        if (sizes.hasFree()) {
            return;
        }
        if (isFull()) {
            trim();
        }
        if (isFull()) {
            refusals.incrementAndGet();
            throw new RdmaException(
                    Errno.ENOMEM,
                    "all " + sizes.takenBlocks() + " blocks of " + sizes.blockBytes() + " bytes are taken, and " + slabs
                            + " slabs of " + options.slabBytes() + " bytes are all that the pool may have ("
                            + options.maxBytes() + ")");
        }
        sizes.add(new Slab(pd, options, sizes.blockBytes()));
        slabs++;
    }

    private boolean isFull() {
        return (long) slabs * options.slabBytes() > options.maxBytes() - options.slabBytes();
    }

    /**
     * Deregisters and frees the slabs none of whose blocks is taken.
     *
     * @return bytes that were registered for them
     */
    public synchronized long trim() {
        int before = slabs;
        for (SizeClass sizes : classes) {
            List<Slab> idle = sizes.removeIdle();
            slabs -= idle.size();
            idle.forEach(Slab::close);
        }
        return (long) (before - slabs) * options.slabBytes();
    }

    /** {@return what became of its memory} */
    public synchronized MemoryPoolStatistics statistics() {
        long blocks = 0;
        long bytes = 0;
        long takes = 0;
        for (SizeClass sizes : classes) {
            long taken = sizes.takenBlocks();
            blocks += taken;
            bytes += taken * sizes.blockBytes();
            takes += sizes.takes();
        }
        return new MemoryPoolStatistics(
                (long) slabs * options.slabBytes(), slabs, bytes, blocks, takes, refusals.get(), leaks.get());
    }

    private RdmaException closed() {
        return new RdmaException(Errno.EINVAL, this + " is closed");
    }

    /**
     * Frees all memory. Idempotent.
     *
     * @throws RdmaException EBUSY while blocks are taken; the message says how many, and where one was taken if leases are watched
     */
    @Override
    public synchronized void close() {
        boolean before = closed;
        closed = true;
        if (watch != null) {
            watch.findLost(this::found);
        }
        MemoryPoolStatistics now = statistics();
        if (now.takenBlocks() > 0) {
            closed = before;
            List<MemoryLeak> open = openLeases();
            throw new RdmaException(
                    Errno.EBUSY,
                    this + " has " + now.takenBlocks() + " blocks of " + now.takenBytes()
                            + " bytes in use: give them back" + (open.isEmpty() ? "" : "; " + open.getFirst()));
        }
        trim();
    }

    @Override
    public String toString() {
        return "memory pool of " + pd;
    }
}
