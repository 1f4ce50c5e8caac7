// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.MrInitAttributes;

/** The provider's part of a memory region. */
public interface MrOps extends AutoCloseable {
    /** {@return the L_Key: 32 bits} */
    int lkey();

    /** {@return the R_Key: 32 bits} */
    int rkey();

    /**
     * Replaces all attributes of the region. Corresponds to {@code ibv_rereg_mr}. The keys may change.
     *
     * @param pd protection domain of this provider
     * @param attributes as for {@link PdOps#registerMemory}
     * @throws RdmaException EBUSY while a memory window is bound to it, EOPNOTSUPP if the provider does not support it;
     *     nothing has changed then
     */
    default void reregister(PdOps pd, MrInitAttributes attributes) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not change registrations");
    }

    /**
     * Deregisters the region. Corresponds to {@code ibv_dereg_mr}: after it the device does not access the memory.
     *
     * @throws RdmaException EBUSY while a memory window is bound to it; nothing has changed then
     */
    @Override
    void close();
}
