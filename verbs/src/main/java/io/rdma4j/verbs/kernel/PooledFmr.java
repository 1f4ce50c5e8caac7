// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.verbs.core.ObjectKind;

/**
 * Memory that a pool has mapped to one of its regions. Corresponds to {@code struct ib_pool_fmr}.
 *
 * <p>Any thread. The caller of {@link FmrPool#map} closes it after the work requests that use it have completed.
 */
public final class PooledFmr implements AutoCloseable {
    private final FmrPool pool;
    private final FmrPool.Entry entry;
    private final int key;
    private boolean closed;

    /**
     * @param entry the pool's region, mapped to the memory
     */
    PooledFmr(FmrPool pool, FmrPool.Entry entry) {
        this.pool = pool;
        this.entry = entry;
        this.key = entry.fmr().rkey();
    }

    /** {@return the L_Key for scatter/gather elements: 32 bits} */
    public int lkey() {
        return key;
    }

    /** {@return the R_Key for the peer: 32 bits} */
    public int rkey() {
        return key;
    }

    /** {@return the address of the first byte in work requests} */
    public long iova() {
        return entry.fmr().iova();
    }

    /** {@return mapped bytes} */
    public long lengthBytes() {
        return entry.fmr().lengthBytes();
    }

    /**
     * Returns the region to its pool. Idempotent. Corresponds to {@code ib_fmr_pool_unmap}.
     *
     * <p>The region stays mapped, so a later {@link FmrPool#map} of the same memory needs no new mapping. The key
     * therefore stays valid until the pool maps the region to other memory or is {@linkplain FmrPool#flush flushed}.
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
