// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.memory;

/**
 * A protection domain of a context that maps memory for the device. Other protection domains cannot use the reserved
 * key.
 */
public interface DmaUser {
    /** {@return the mappings of the context} */
    DmaSpace dmaSpace();
}
