// SPDX-License-Identifier: Apache-2.0
/**
 * The side of {@code ib_core} that kernel code uses: DMA mappings, page lists and FMRs.
 *
 * <p>The objects begin with {@link io.rdma4j.verbs.kernel.DmaTable#of}, {@link io.rdma4j.verbs.kernel.Fmr#allocate} and
 * {@link io.rdma4j.verbs.kernel.FmrPool#create}.
 */
@NullMarked
package io.rdma4j.verbs.kernel;

import org.jspecify.annotations.NullMarked;
