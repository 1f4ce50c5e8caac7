package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.MrInitAttributes;

/** A memory region. */
public interface MrOps extends AutoCloseable {
    /** {@return the key for local use: 32 bits} */
    int lkey();

    /** {@return the key for the peer: 32 bits} */
    int rkey();

    /**
     * {@code ibv_rereg_mr}: everything as it shall be from now on. The keys may change.
     *
     * @param pd what this provider made
     * @param attributes as for {@link PdOps#registerMemory}
     * @throws RdmaException EBUSY while a memory window is bound to it, EOPNOTSUPP if the provider cannot; nothing has
     *     changed then
     */
    default void reregister(PdOps pd, MrInitAttributes attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not change registrations");
    }

    /**
     * {@code ibv_dereg_mr}: after it the device does not touch the memory any more.
     *
     * @throws RdmaException EBUSY while a memory window is bound to it; nothing has changed then
     */
    @Override
    void close();
}
