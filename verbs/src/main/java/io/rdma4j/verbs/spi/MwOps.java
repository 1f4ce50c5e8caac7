// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.spi;

/** The provider's part of a memory window. Any thread. */
public interface MwOps extends AutoCloseable {
    /** {@return the number of the window in bind work requests: 32 bits, constant} */
    int handle();

    /** {@return the R_Key at allocation: 32 bits; later keys differ only in the low 8 bits} */
    int rkey();

    /** Unbinds and frees the window. Corresponds to {@code ibv_dealloc_mw}. */
    @Override
    void close();
}
