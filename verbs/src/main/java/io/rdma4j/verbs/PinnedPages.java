package io.rdma4j.verbs;

import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Memory that was brought in and is held, page by page, so that it can be mapped for a device. Answers to the pages that
 * {@code get_user_pages} fills in.
 *
 * <p>Keeps the memory reachable; an arena that is closed by hand must be closed after it. Any thread may call. The caller of
 * {@link DmaTable#pin} closes it.
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
            // Whoever touches it first waits for it to be brought in: not the device.
            part.get(ValueLayout.JAVA_BYTE, 0);
            pages.add(part);
        }
        this.life = new Lifecycle(
                String.format("%s from 0x%x", ObjectKind.PINNED_PAGES, segment.address()),
                table.context().life());
    }

    /**
     * {@return the memory, cut at page borders: all but the first begin and all but the last end at one} Unmodifiable.
     */
    public List<MemorySegment> pages() {
        return List.copyOf(pages);
    }

    /**
     * Maps all pages for the device. Answers to {@code ib_dma_map_sg} after {@code get_user_pages}.
     *
     * @param direction what the device may do with the memory: read it, write it, or both
     * @param attributes how; none are needed
     * @return the mapping; to be closed before these pages
     * @throws RdmaException as {@link DmaTable#map(List, DmaDirection, DmaAttribute...)}; EINVAL if they are held no longer
     */
    public DmaScatterMapping map(DmaDirection direction, DmaAttribute @Nullable ... attributes) {
        return life.admit(
                ObjectKind.DMA_MAPPING,
                () -> table.map(
                        pages, direction, DmaTable.attributes(attributes), () -> life.release(ObjectKind.DMA_MAPPING)));
    }

    /**
     * Lets go of them. Idempotent. Answers to {@code put_page}.
     *
     * @throws RdmaException EBUSY while they are mapped
     */
    @Override
    public void close() {
        if (life.close()) {
            table.context().life().release(ObjectKind.PINNED_PAGES);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
