// SPDX-License-Identifier: Apache-2.0
/** Cases for memory regions, windows, fast registration, device memory and DMA mappings. */
@NullMarked
package io.rdma4j.testing.conformance.mr;

import org.jspecify.annotations.NullMarked;
