// SPDX-License-Identifier: Apache-2.0
/**
 * Queueing disciplines: order and time in which the packets of a transmit queue leave ({@code net/sched}). The package
 * depends on packets and time, not on devices.
 */
@NullMarked
package io.rdma4j.net.sched;

import org.jspecify.annotations.NullMarked;
