package io.rdma4j.verbs;

/**
 * Memory that a pool has mapped to one of its regions. Answers to {@code struct ib_pool_fmr}.
 *
 * <p>Any thread may call. The caller of {@link FmrPool#map} closes it, after the work requests that use it have completed.
 */
public final class PooledFmr implements AutoCloseable {
    private final FmrPool pool;
    private final FmrPool.Entry entry;
    private final int key;
    private boolean closed;

    /** @param entry that shows the memory now */
    PooledFmr(FmrPool pool, FmrPool.Entry entry) {
        this.pool = pool;
        this.entry = entry;
        this.key = entry.fmr().rkey();
    }

    /** {@return key for scatter/gather elements: 32 bits} */
    public int lkey() {
        return key;
    }

    /** {@return key to give to the peer: 32 bits} */
    public int rkey() {
        return key;
    }

    /** {@return what work requests call the first byte} */
    public long iova() {
        return entry.fmr().iova();
    }

    /** {@return bytes that are mapped} */
    public long lengthBytes() {
        return entry.fmr().lengthBytes();
    }

    /**
     * Gives the region back to its pool. The key stays good for the memory until the region is mapped anew or the pool
     * {@linkplain FmrPool#flush flushed}: that is what makes it cheap. Idempotent. Answers to {@code ib_fmr_pool_unmap}.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        pool.giveBack(entry);
    }

    @Override
    public String toString() {
        return String.format("pooled %s, key 0x%08x", ObjectKind.FMR, key);
    }
}
