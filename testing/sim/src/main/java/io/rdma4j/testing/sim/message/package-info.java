// SPDX-License-Identifier: Apache-2.0
/**
 * Messages in both directions over one reliable connection, and the checks that each arrives once, in order, unchanged.
 */
@NullMarked
package io.rdma4j.testing.sim.message;

import org.jspecify.annotations.NullMarked;
