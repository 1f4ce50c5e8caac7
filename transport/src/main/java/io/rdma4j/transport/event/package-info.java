// SPDX-License-Identifier: Apache-2.0
/**
 * Flight recorder events of the queue pairs of a device; {@link io.rdma4j.transport.event.TransportEvents} records all
 * of them.
 */
@NullMarked
package io.rdma4j.transport.event;

import org.jspecify.annotations.NullMarked;
