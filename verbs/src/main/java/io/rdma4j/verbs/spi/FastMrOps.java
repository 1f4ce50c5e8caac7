// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** The provider's part of a region that work requests register. Any thread. */
public interface FastMrOps extends AutoCloseable {
    /** {@return the number of the region in registration work requests: 32 bits, constant} */
    int handle();

    /** {@return the L_Key and R_Key at allocation: 32 bits; later keys differ only in the low 8 bits} */
    int key();

    /**
     * Sets the memory of the next registration work request ({@code ib_map_mr_sg}). The device may access the memory
     * only after it has executed that work request.
     *
     * @param pieces native, accessible from every thread; together one range of whole pages, except at both ends
     */
    void map(List<MemorySegment> pieces);

    /**
     * Frees the region. Corresponds to {@code ib_dereg_mr}.
     *
     * @throws io.rdma4j.base.RdmaException EBUSY while a memory window is bound to it; nothing has changed then
     */
    @Override
    void close();
}
