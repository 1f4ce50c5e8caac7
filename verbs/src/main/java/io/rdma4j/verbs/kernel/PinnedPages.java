// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.values.DmaAttribute;
import io.rdma4j.verbs.values.DmaDirection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is loaded and kept page by page so that the application can map it for a device. Corresponds to the pages
 * that {@code get_user_pages} returns.
 *
 * <p>Keeps the memory reachable. An arena that the application closes explicitly must be closed after this object. Any
 * thread. The caller of {@link DmaTable#pin} closes it.
 */
public final class PinnedPages implements AutoCloseable {
    private final DmaTable table;
    private final List<MemorySegment> pages = new ArrayList<>();
    private final Lifecycle life;

    PinnedPages(DmaTable table, MemorySegment segment) {
        this.table = table;
        if (segment.isMapped()) {
            segment.load();
        }
        long page = FastMemoryRegion.PAGE_BYTES;
        long length;
        for (long done = 0; done < segment.byteSize(); done += length) {
            length = Math.min(segment.byteSize() - done, page - (segment.address() + done) % page);
            MemorySegment part = segment.asSlice(done, length);
            // Reads one byte of each page, so that the page fault happens here and not in the device's access.
            part.get(ValueLayout.JAVA_BYTE, 0);
            pages.add(part);
        }
        this.life = new Lifecycle(
                String.format("%s from 0x%x", ObjectKind.PINNED_PAGES, segment.address()),
                table.state().life());
    }

    /**
     * {@return the memory, cut at page boundaries: only the first may begin and only the last may end within a page}
     * Unmodifiable.
     */
    public List<MemorySegment> pages() {
        return List.copyOf(pages);
    }

    /**
     * Maps all pages for the device. Corresponds to {@code ib_dma_map_sg} after {@code get_user_pages}.
     *
     * @param direction whether the device reads the memory, writes it, or both
     * @param attributes mapping attributes; may be empty
     * @return the mapping; the caller closes it before these pages
     * @throws RdmaException as {@link DmaTable#map(List, DmaDirection, DmaAttribute...)}; EINVAL if these pages are
     *     closed
     */
    public DmaScatterMapping map(DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return life.admit(
                ObjectKind.DMA_MAPPING,
                () -> table.map(
                        pages, direction, DmaTable.attributes(attributes), () -> life.release(ObjectKind.DMA_MAPPING)));
    }

    /**
     * Releases the pages. Idempotent. Corresponds to {@code put_page}.
     *
     * @throws RdmaException EBUSY while they are mapped
     */
    @Override
    public void close() {
        if (life.close()) {
            table.state().life().release(ObjectKind.PINNED_PAGES);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
