// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** The provider's part of an indirection table. Any thread. */
public interface RwqTableOps extends AutoCloseable {
    /**
     * Destroys the table. Corresponds to {@code ibv_destroy_rwq_ind_table}; the core has closed the queue pairs that
     * used it.
     */
    @Override
    void close();
}
