// SPDX-License-Identifier: Apache-2.0
/**
 * Shared parts of tools that run as two communicating programs: choice of a device, TCP connection, verbs with the
 * texts of the original programs, and detection of a silent peer.
 *
 * <p>The ping-pongs and the performance tests call it; it does not depend on the data that they exchange.
 */
@NullMarked
package io.rdma4j.tools.peer;

import org.jspecify.annotations.NullMarked;
