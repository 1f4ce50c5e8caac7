// SPDX-License-Identifier: Apache-2.0
/** Assembles the parts of a port over a carrier. */
@NullMarked
package io.rdma4j.hca.port;

import org.jspecify.annotations.NullMarked;
