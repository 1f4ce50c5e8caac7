// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AddressVector;

/** The provider's part of an address handle. Any thread. */
public interface AhOps extends AutoCloseable {
    /**
     * {@return the number of the address handle in work requests: 32 bits, resolved without a map on the data path} The
     * device must check a handle that it reads from a queue, also for the queue pair's protection domain.
     */
    int handle();

    /**
     * Changes the path of later sends. Corresponds to {@code ib_modify_ah}.
     *
     * @param vector checked: its port and its GID exist
     * @throws RdmaException EOPNOTSUPP if the provider does not support it
     */
    default void modify(AddressVector vector) {
        throw new RdmaException(Errno.EOPNOTSUPP, "this device does not modify address handles");
    }

    /** Destroys the address handle. Corresponds to {@code ibv_destroy_ah}. */
    @Override
    void close();
}
