// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.pool;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.wr.Sge;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory from a {@link MemoryPool}. The application closes it once no work request uses it any more, best
 * with try-with-resources.
 *
 * <p>Any thread. The memory may contain data of its last user.
 */
public final class MemoryLease implements AutoCloseable {
    private final MemoryPool pool;
    private final long handle;
    private final MemoryRegion region;
    private final MemorySegment segment;
    private final LeaseWatch.@Nullable Mark mark;

    /**
     * @param handle of the lease's block
     */
    MemoryLease(MemoryPool pool, long handle, int lengthBytes, @Nullable LeaseWatch watch) {
        this.pool = pool;
        this.handle = handle;
        this.region = pool.region(handle);
        this.segment = pool.segment(handle).asSlice(0, lengthBytes);
        this.mark = watch == null ? null : watch.opened(this);
    }

    /** The handle of the lease's block. */
    long handle() {
        return handle;
    }

    LeaseWatch.@Nullable Mark mark() {
        return mark;
    }

    /** {@return requested bytes} */
    public int lengthBytes() {
        return (int) segment.byteSize();
    }

    /**
     * {@return the memory, {@link #lengthBytes} bytes} The application must not access it after {@link #close}, when
     * the pool may give it to another lease.
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public MemorySegment segment() {
        checkOpen();
        return segment;
    }

    /**
     * {@return the address of the first byte in work requests}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public long address() {
        checkOpen();
        return pool.address(handle);
    }

    /**
     * {@return the L_Key for scatter/gather elements}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public int lkey() {
        checkOpen();
        return region.lkey();
    }

    /**
     * {@return the R_Key for the peer; it gives access to the whole slab}
     *
     * @throws RdmaException EINVAL once it is closed
     */
    public int rkey() {
        checkOpen();
        return region.rkey();
    }

    /**
     * {@return a scatter/gather element for a part of the memory}
     *
     * @param offset bytes from the start of the memory
     * @param length bytes
     * @throws RdmaException EINVAL if the part exceeds the memory, or once it is closed
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

    /** Returns the memory to the pool. Idempotent. Any thread. */
    @Override
    public void close() {
        pool.close(this);
    }

    @Override
    public String toString() {
        return "lease of " + segment.byteSize() + " bytes";
    }
}
