// SPDX-License-Identifier: Apache-2.0
/**
 * Work and completion queues as single-producer single-consumer rings in off-heap memory with a fixed layout.
 *
 * <p>Applications use the posting and polling ends ({@code Ring…Batch}, {@code RingCompletionCursor}) through the verbs
 * API. The engine of a software provider uses the device's ends: {@link io.rdma4j.verbs.spi.ring.SendQueue} with {@link
 * io.rdma4j.verbs.spi.ring.SendOperands}, {@link io.rdma4j.verbs.spi.ring.ReceiveQueue}, {@link
 * io.rdma4j.verbs.spi.ring.SharedReceiveRing} and {@link io.rdma4j.verbs.spi.ring.CompletionRing}. The two ends share
 * only the ring, so they can be in different processes, as a user library and the kernel are.
 */
@NullMarked
package io.rdma4j.verbs.spi.ring;

import org.jspecify.annotations.NullMarked;
