// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.core.Arguments;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of registered memory. Block sizes are powers of two. Blocks of one size are cut from slabs; each
 * slab is one memory region, registered on demand. The pool never registers more memory than its options allow.
 *
 * <p>{@link #lease} returns an object for try-with-resources. {@link #take} and {@link #give} use numeric handles and
 * allocate nothing. At the limit a caller may wait for a block, see {@link AllocationPolicy}. Any thread; each size has
 * a lock that is held for a short time. The creator of the pool closes it before the protection domain.
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
    private final BlockWaiters waiters = new BlockWaiters();
    private final AtomicLong refusals = new AtomicLong();
    private final AtomicLong leaks = new AtomicLong();
    private int slabs;
    private volatile boolean closed;

    /**
     * Creates an empty pool; nothing is registered yet.
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
            classes[i] = new SizeClass(i, options.minBlockBytes() << i, options.slabBytes(), waiters);
        }
        this.watch = options.watchesLeases() ? new LeaseWatch() : null;
    }

    /** {@return the options of the constructor} */
    public MemoryPoolOptions options() {
        return options;
    }

    // Leases

    /**
     * {@return a lease of a block of at least this length} The lease uses only the first {@code lengthBytes} bytes of
     * its block. It never waits, as with {@link AllocationPolicy#NON_BLOCKING}.
     *
     * @param lengthBytes 1 to the largest block
     * @throws RdmaException EINVAL for a length below 1 or above the largest block, and once the pool is closed; ENOMEM
     *     if all blocks are taken and the pool is at its limit; the errors of {@link ProtectionDomain#allocateMemory}
     */
    public MemoryLease lease(int lengthBytes) {
        return lease(lengthBytes, AllocationPolicy.NON_BLOCKING);
    }

    /**
     * As {@link #lease(int)}, with a choice for a pool at its limit.
     *
     * @param lengthBytes 1 to the largest block
     * @param policy whether the calling thread waits until another one returns a block
     * @return the lease
     * @throws RdmaException as {@link #lease(int)}; EINTR if the thread is interrupted while it waits
     */
    public MemoryLease lease(int lengthBytes, AllocationPolicy policy) {
        Arguments.present("policy", policy);
        if (watch != null) {
            watch.findLost(this::found);
        }
        return new MemoryLease(this, take(lengthBytes, policy), lengthBytes, watch);
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

    /** {@return the open leases, with the places where they were taken; empty unless leases are watched} */
    public List<MemoryLeak> openLeases() {
        return watch == null ? List.of() : watch.open();
    }

    // Blocks

    /**
     * Takes a block of at least this length, without an object. Allocates nothing except when the pool registers a new
     * slab.
     *
     * @param lengthBytes 1 to the largest block
     * @return a handle for the other calls, never negative; valid until {@link #give}
     * @throws RdmaException as {@link #lease(int)}
     */
    public long take(int lengthBytes) {
        return take(lengthBytes, AllocationPolicy.NON_BLOCKING);
    }

    /**
     * As {@link #take(int)}, with a choice for a pool at its limit.
     *
     * @param lengthBytes 1 to the largest block
     * @param policy whether the calling thread waits until another one returns a block
     * @return a handle, see {@link #take(int)}
     * @throws RdmaException as {@link #lease(int, AllocationPolicy)}
     */
    public long take(int lengthBytes, AllocationPolicy policy) {
        Arguments.present("policy", policy);
        if (lengthBytes < 1 || lengthBytes > options.maxBlockBytes()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    lengthBytes + " bytes are not in 1.." + options.maxBlockBytes() + ", the pool's largest block");
        }
        int shift = Integer.SIZE - Integer.numberOfLeadingZeros(lengthBytes - 1);
        SizeClass sizes = classes[Math.max(0, shift - smallestShift)];
        long handle = tryTake(sizes);
        if (handle == SizeClass.NONE) {
            handle = takeFromFullPool(sizes, policy);
        }
        // close() sets closed before it counts the taken blocks. So either this thread sees the flag, or close() sees
        // the block.
        if (closed) {
            sizes.give(handle);
            throw closed();
        }
        return handle;
    }

    /** Takes a free block or one of a new slab; {@link SizeClass#NONE} if the pool is at its limit. */
    private long tryTake(SizeClass sizes) {
        long handle = sizes.take();
        while (handle == SizeClass.NONE && grow(sizes)) {
            handle = sizes.take();
        }
        return handle;
    }

    private long takeFromFullPool(SizeClass sizes, AllocationPolicy policy) {
        if (policy == AllocationPolicy.NON_BLOCKING) {
            throw refused(sizes);
        }
        int seen = waiters.enter();
        try {
            long handle = tryTake(sizes);
            while (handle == SizeClass.NONE) {
                seen = waiters.await(seen);
                handle = tryTake(sizes);
            }
            return handle;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaException(
                    Errno.EINTR, "interrupted while all blocks of " + sizes.blockBytes() + " bytes are taken");
        } finally {
            waiters.leave();
        }
    }

    /**
     * Returns a block to the pool.
     *
     * @param handle a result of {@link #take}
     * @return false without effect if the block was already returned or the handle is invalid
     */
    public boolean give(long handle) {
        int number = BlockHandle.sizeClass(handle);
        return handle >= 0 && number < classes.length && classes[number].give(handle);
    }

    /**
     * {@return the memory of a block, in its full length: the same object each time}
     *
     * @param handle a result of {@link #take}
     * @throws RdmaException EINVAL if the block was returned
     */
    public MemorySegment segment(long handle) {
        return slab(handle).block(sizes(handle).indexInSlab(handle));
    }

    /**
     * {@return the address of the first byte of a block in work requests}
     *
     * @param handle a result of {@link #take}
     * @throws RdmaException EINVAL if the block was returned
     */
    public long address(long handle) {
        Slab slab = slab(handle);
        SizeClass sizes = sizes(handle);
        return slab.region().iova() + (long) sizes.indexInSlab(handle) * sizes.blockBytes();
    }

    /**
     * {@return the memory region of a block: its keys are those of the block}
     *
     * @param handle a result of {@link #take}
     * @throws RdmaException EINVAL if the block was returned
     */
    public MemoryRegion region(long handle) {
        return slab(handle).region();
    }

    /** True until the block is returned. */
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

    // Slabs

    /** Adds a slab; if the pool is at its limit, idle slabs are freed first. Returns false if there is none. */
    private synchronized boolean grow(SizeClass sizes) {
        if (closed) {
            throw closed();
        }
        if (sizes.hasFree()) {
            return true;
        }
        if (isFull()) {
            trim();
        }
        if (isFull()) {
            return false;
        }
        sizes.add(new Slab(pd, options, sizes.blockBytes()));
        slabs++;
        return true;
    }

    private synchronized RdmaException refused(SizeClass sizes) {
        refusals.incrementAndGet();
        return new RdmaException(
                Errno.ENOMEM,
                "all " + sizes.takenBlocks() + " blocks of " + sizes.blockBytes() + " bytes are taken, and " + slabs
                        + " slabs of " + options.slabBytes() + " bytes are all that the pool may have ("
                        + options.maxBytes() + ")");
    }

    private boolean isFull() {
        return (long) slabs * options.slabBytes() > options.maxBytes() - options.slabBytes();
    }

    /**
     * Deregisters and frees the slabs without taken blocks.
     *
     * @return bytes freed
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

    /** {@return a snapshot of the pool's statistics} */
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
     * @throws RdmaException EBUSY while blocks are taken; the message contains their number, and the place where one
     *     was taken if leases are watched
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
        waiters.wake();
    }

    @Override
    public String toString() {
        return "memory pool of " + pd;
    }
}
