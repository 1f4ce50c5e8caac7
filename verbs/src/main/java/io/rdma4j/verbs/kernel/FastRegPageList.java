// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.kernel;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.FastMemoryRegion;
import io.rdma4j.verbs.core.Arguments;
import io.rdma4j.verbs.core.Lifecycle;
import io.rdma4j.verbs.core.ObjectKind;
import io.rdma4j.verbs.state.ContextState;
import io.rdma4j.verbs.state.StateAccess;
import io.rdma4j.verbs.values.PhysicalBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * List of device addresses of pages, for the registration of a {@link FastMemoryRegion}. Corresponds to
 * {@code struct ib_fast_reg_page_list}.
 *
 * <p>One thread at a time. The caller of {@link DmaTable#allocatePageList} closes the list.
 */
public final class FastRegPageList implements AutoCloseable {
    private static final int PAGE = FastMemoryRegion.PAGE_BYTES;

    private final Context context;
    private final ContextState state;
    private final long[] pages;
    private final Lifecycle life;

    FastRegPageList(Context context, ContextState state, int maxPages) {
        this.context = context;
        this.state = state;
        this.pages = new long[maxPages];
        this.life = new Lifecycle(ObjectKind.FAST_REG_PAGE_LIST + " of " + maxPages, state.life());
    }

    /** {@return the context that the list was created from} */
    public Context context() {
        return context;
    }

    /** {@return the maximum number of pages} Corresponds to {@code max_page_list_len}. */
    public int maxPages() {
        return pages.length;
    }

    /**
     * {@return the device address of a page; 0 if none was set}
     *
     * @param index index in the list, from 0
     */
    public long page(int index) {
        life.checkOpen();
        Arguments.range("page", index, 0, pages.length - 1L);
        return pages[index];
    }

    /**
     * Sets an entry of the list. Corresponds to an assignment to {@code page_list[index]}.
     *
     * @param index index in the list: 0 to {@link #maxPages} - 1
     * @param address device address of a {@link DmaMapping}: a multiple of {@link FastMemoryRegion#PAGE_BYTES}
     * @throws RdmaException EINVAL if the index or the address is invalid, or the list is closed
     */
    public void set(int index, long address) {
        life.checkOpen();
        Arguments.range("page", index, 0, pages.length - 1L);
        if (address % PAGE != 0) {
            throw new RdmaException(
                    Errno.EINVAL, String.format("0x%x is no address of a page of %d bytes", address, PAGE));
        }
        pages[index] = address;
    }

    /**
     * Selects pages as the memory of the next registration of a region: {@code page_list}, {@code page_list_len},
     * {@code length} and {@code iova_start} of {@code wr.fast_reg}. The list may be changed afterwards. The pages must
     * stay mapped while the region is registered.
     *
     * @param region of the same context
     * @param count number of pages, from the beginning of the list
     * @param iova address of the first byte in work requests; its offset within a page is that of the byte in the first
     *     page
     * @param lengthBytes length in bytes; the range ends in the last page
     * @throws RdmaException as {@link FastMemoryRegion#map(List)}; EINVAL for a region of another context, for pages
     *     that are not in the list or not mapped, and for a length that does not end in the last page
     */
    public void mapTo(FastMemoryRegion region, int count, long iova, long lengthBytes) {
        Arguments.present("region", region);
        StateAccess.ofFastRegion(region).checkOpen();
        StateAccess.ofDomain(region.protectionDomain()).context().checkSame(state, this);
        region.map(range(count, iova % PAGE, lengthBytes), iova);
    }

    /**
     * The memory of the first {@code count} pages.
     *
     * @param offset offset of the first byte in the first page
     * @param lengthBytes length in bytes
     */
    private List<MemorySegment> range(int count, long offset, long lengthBytes) {
        life.checkOpen();
        Arguments.range("page_list_len", count, 1, pages.length);
        long end = (long) count * PAGE;
        Arguments.range("length", lengthBytes, Math.max(1, end - PAGE - offset + 1), end - offset);
        List<PhysicalBuffer> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long from = i == 0 ? offset : 0;
            long to = Math.min(PAGE, offset + lengthBytes - (long) i * PAGE);
            buffers.add(new PhysicalBuffer(pages[i] + from, to - from));
        }
        return state.resolve(buffers, Set.of()).pieces();
    }

    /** Frees the list. Idempotent. Corresponds to {@code ib_free_fast_reg_page_list}. */
    @Override
    public void close() {
        if (life.close()) {
            state.life().release(ObjectKind.FAST_REG_PAGE_LIST);
        }
    }

    @Override
    public String toString() {
        return life.name();
    }
}
