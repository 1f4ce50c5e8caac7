// SPDX-License-Identifier: Apache-2.0
/**
 * What the engine and the device share: the port that the device implements, the queues and the context that the
 * device passes to each queue pair, and the packets and messages that they exchange.
 */
@NullMarked
package io.rdma4j.transport.port;

import org.jspecify.annotations.NullMarked;
