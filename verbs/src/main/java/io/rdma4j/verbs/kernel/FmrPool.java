// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.state.DomainState;
import io.rdma4j.verbs.state.StateAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Manages a set of fast memory regions. The application maps memory to a free region, uses it, and returns it; the pool
 * delays unmapping. Corresponds to {@code struct ib_fmr_pool}.
 *
 * <p>A returned region can be mapped again at once until it has reached its maximum number of maps. Then it is dirty.
 * Dirty regions are unmapped together, by the thread that reaches the {@linkplain FmrPoolAttributes#dirtyWatermark
 * watermark} or by {@link #flush}. Any thread. The caller of {@link #create} closes the pool.
 */
public final class FmrPool implements AutoCloseable {
    private final DomainState domain;
    private final FmrPoolAttributes attributes;
    private final Lifecycle life;
    private final List<Fmr> all = new ArrayList<>();

    /** Least recently used first. */
    private final Deque<Entry> free = new ArrayDeque<>();

    private final List<Entry> dirty = new ArrayList<>();
    private final Map<Mapping, Entry> cache = new HashMap<>();

    /** The memory that is mapped to a region. */
    private record Mapping(List<MemorySegment> pages, long iova) {}

    /** One region of the pool. */
    static final class Entry {
        private final Fmr fmr;
        private @Nullable Mapping mapping;
        private int users;

        private Entry(Fmr fmr) {
            this.fmr = fmr;
        }

        Fmr fmr() {
            return fmr;
        }
    }

    private FmrPool(ProtectionDomain pd, DomainState domain, FmrPoolAttributes attributes) {
        Arguments.range("pool_size", attributes.regions(), 1, Integer.MAX_VALUE);
        Arguments.range("dirty_watermark", attributes.dirtyWatermark(), 1, attributes.regions());
        this.domain = domain;
        this.attributes = attributes;
        this.life = new Lifecycle(
                ObjectKind.FMR_POOL + " " + domain.context().nextHandle(),
                domain.context().life());
        try {
            for (int i = 0; i < attributes.regions(); i++) {
                Fmr fmr = Fmr.allocate(pd, attributes.each(), attributes.access());
                all.add(fmr);
                free.addLast(new Entry(fmr));
            }
        } catch (RuntimeException e) {
            all.forEach(Fmr::close);
            throw e;
        }
    }

    /**
     * Creates a pool of FMRs. Corresponds to {@code ib_create_fmr_pool}.
     *
     * @param pd protection domain of the regions
     * @param attributes number and attributes of the regions
     * @return the pool; the caller closes it before the domain
     * @throws RdmaException as {@link Fmr#allocate}; EINVAL for a pool without regions, or a watermark outside of 1 to
     *     the pool's size. On an error all regions allocated so far are freed.
     */
    public static FmrPool create(ProtectionDomain pd, FmrPoolAttributes attributes) {
        Arguments.present("pd", pd);
        Arguments.present("attributes", attributes);
        DomainState domain = StateAccess.ofDomain(pd);
        return domain.life().admit(ObjectKind.FMR_POOL, () -> new FmrPool(pd, domain, attributes));
    }

    /** {@return the attributes of the pool} */
    public FmrPoolAttributes attributes() {
        return attributes;
    }

    /** {@return the number of dirty regions, which must be unmapped before they can be used again} */
    public synchronized int dirtyRegions() {
        return dirty.size();
    }

    /**
     * Maps pages to a free region. Corresponds to {@code ib_fmr_pool_map_phys}.
     *
     * @param pages as for {@link Fmr#map(List, long)}
     * @param iova address of the first byte in work requests
     * @return the region; closing it returns it to the pool
     * @throws RdmaException EAGAIN if no region is free: return regions or flush; errors of {@link Fmr#map(List, long)}
     */
    public synchronized PooledFmr map(List<MemorySegment> pages, long iova) {
        Arguments.allPresent("pages", pages);
        life.checkUsable();
        Mapping wanted = new Mapping(List.copyOf(pages), iova);
        Entry entry = cache.get(wanted);
        if (entry == null) {
            entry = mapAnew(wanted);
        } else if (entry.users == 0) {
            free.remove(entry);
            dirty.remove(entry);
        }
        life.acquire(ObjectKind.FMR);
        entry.users++;
        return new PooledFmr(this, entry);
    }

    private Entry mapAnew(Mapping wanted) {
        Entry entry = free.pollFirst();
        if (entry == null) {
            throw new RdmaException(
                    Errno.EAGAIN,
                    "all " + all.size() + " regions of " + this + " are in use, " + dirty.size()
                            + " of them to be unmapped: give some back, or flush");
        }
        forget(entry);
        try {
            entry.fmr.map(wanted.pages(), wanted.iova());
        } catch (RuntimeException e) {
            free.addFirst(entry);
            throw e;
        }
        entry.mapping = wanted;
        if (attributes.isCached()) {
            cache.put(wanted, entry);
        }
        return entry;
    }

    private void forget(Entry entry) {
        if (entry.mapping != null) {
            cache.remove(entry.mapping);
            entry.mapping = null;
        }
    }

    void giveBack(Entry entry) {
        boolean flushed = false;
        synchronized (this) {
            life.release(ObjectKind.FMR);
            if (--entry.users > 0) {
                return;
            }
            if (entry.fmr.mapCount() < attributes.each().maxMaps()) {
                free.addLast(entry);
            } else {
                dirty.add(entry);
                flushed = dirty.size() >= attributes.dirtyWatermark();
            }
            if (flushed) {
                unmapDirty();
            }
        }
        if (flushed) {
            attributes.flushFunction().accept(this);
        }
    }

    /**
     * Unmaps all regions that are not in use, which invalidates all their keys. Corresponds to
     * {@code ib_flush_fmr_pool}.
     *
     * @throws RdmaException EINVAL if the pool is closed
     */
    public void flush() {
        synchronized (this) {
            life.checkOpen();
            dirty.addAll(free);
            free.clear();
            unmapDirty();
        }
        attributes.flushFunction().accept(this);
    }

    private void unmapDirty() {
        dirty.forEach(this::forget);
        Fmr.unmap(dirty.stream().map(Entry::fmr).toList());
        free.addAll(dirty);
        dirty.clear();
    }

    /**
     * Unmaps and frees all regions. Idempotent. Corresponds to {@code ib_destroy_fmr_pool}.
     *
     * @throws RdmaException EBUSY while regions are in use
     */
    @Override
    public synchronized void close() {
        if (life.close()) {
            Fmr.unmap(all);
            all.forEach(Fmr::close);
            domain.life().release(ObjectKind.FMR_POOL);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
