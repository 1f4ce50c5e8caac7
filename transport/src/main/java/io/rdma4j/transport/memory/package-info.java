// SPDX-License-Identifier: Apache-2.0
/**
 * Registered memory: the table of L_Keys and R_Keys, regions, windows, the mappings of DMA regions, and the position in
 * a scatter/gather list.
 *
 * <p>The port loop looks keys up without locks; the threads of the application register and revoke them.
 */
@NullMarked
package io.rdma4j.transport.memory;

import org.jspecify.annotations.NullMarked;
