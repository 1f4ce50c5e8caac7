package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Sge;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory of a {@link MemoryPool}, to be closed once no work request uses it any more; best by try-with-resources.
 *
 * <p>Any thread may call, and close it. The memory may hold what its last user left there.
 */
public final class MemoryLease implements AutoCloseable {
    private final MemoryPool pool;
    private final long handle;
    private final MemoryRegion region;
    private final MemorySegment segment;
    private final LeaseWatch.@Nullable Mark mark;

    /** @param handle of the block that it is */
    MemoryLease(MemoryPool pool, long handle, int lengthBytes, @Nullable LeaseWatch watch) {
        this.pool = pool;
        this.handle = handle;
        this.region = pool.region(handle);
        this.segment = pool.segment(handle).asSlice(0, lengthBytes);
        this.mark = watch == null ? null : watch.opened(this);
    }

    /** What the pool knows the block by. */
    long handle() {
        return handle;
    }

    LeaseWatch.@Nullable Mark mark() {
        return mark;
    }

    /** {@return bytes, as many as were asked for} */
    public int lengthBytes() {
        return (int) segment.byteSize();
    }

    /**
     * {@return the memory, {@link #lengthBytes} of it} It must not be touched after {@link #close}, when it is
     * another's.
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public MemorySegment segment() {
        checkOpen();
        return segment;
    }

    /**
     * {@return what work requests call the first byte}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public long address() {
        checkOpen();
        return pool.address(handle);
    }

    /**
     * {@return key for scatter/gather elements}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public int lkey() {
        checkOpen();
        return region.lkey();
    }

    /**
     * {@return key to give to the peer, which reaches all of the slab with it}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public int rkey() {
        checkOpen();
        return region.rkey();
    }

    /**
     * {@return a part of it for a work request}
     *
     * @param offset bytes from the start of the memory
     * @param length bytes
     * @throws RdmaException EINVAL if the part is not inside, or once it is closed
     */
    public Sge sge(int offset, int length) {
        checkOpen();
        if (offset < 0 || length < 0 || offset > lengthBytes() - length) {
            throw new RdmaException(
                    Errno.EINVAL, length + " bytes at offset " + offset + " do not lie in a lease of " + lengthBytes());
        }
        return new Sge(pool.address(handle) + offset, length, region.lkey());
    }

    private void checkOpen() {
        if (!pool.isTaken(handle)) {
            throw new RdmaException(Errno.EINVAL, this + " is closed");
        }
    }

    /** Gives the memory back. Idempotent, by whichever thread. */
    @Override
    public void close() {
        pool.close(this);
    }

    @Override
    public String toString() {
        return "lease of " + segment.byteSize() + " bytes";
    }
}
