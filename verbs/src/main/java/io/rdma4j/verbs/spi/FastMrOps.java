package io.rdma4j.verbs.spi;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A region that is registered by work request. Any thread may call. */
public interface FastMrOps extends AutoCloseable {
    /** {@return what registration work requests name it by: 32 bits, the same for all its life} */
    int handle();

    /** {@return the key it has at allocation, local and remote: 32 bits; later ones differ in the low 8 bits only} */
    int key();

    /**
     * {@code ib_map_mr_sg}: what the next registration work request is about. The memory is not accessible before that one was
     * carried out.
     *
     * @param pieces native, accessible from every thread; together one range of whole pages but for its two ends
     */
    void map(List<MemorySegment> pieces);

    /**
     * {@code ib_dereg_mr}.
     *
     * @throws io.rdma4j.base.RdmaException EBUSY while a memory window is bound to it; nothing has changed then
     */
    @Override
    void close();
}
