/**
 * Work and completion queues as single-producer single-consumer rings in off-heap memory with a fixed layout.
 *
 * <p>The client's end of each queue ({@code Ring…Batch}, {@code RingCompletionCursor}) is what the verbs API hands to
 * applications; the device's end ({@link io.rdma4j.verbs.queue.SendQueue} with
 * {@link io.rdma4j.verbs.queue.SendOperands}, {@link io.rdma4j.verbs.queue.ReceiveQueue},
 * {@link io.rdma4j.verbs.queue.SharedReceiveRing},
 * {@link io.rdma4j.verbs.queue.CompletionRing}) is what a software provider's engine reads and writes. The two ends share nothing but the ring,
 * so that they may one day live in different processes, as they do between a user library and the kernel.
 */
@NullMarked
package io.rdma4j.verbs.queue;

import org.jspecify.annotations.NullMarked;
