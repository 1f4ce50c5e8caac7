// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

/** Handles an interrupt ({@code irq_handler_t}). Must be short: it schedules a {@link io.rdma4j.net.receive.Napi}. */
@FunctionalInterface
public interface InterruptHandler {
    /**
     * Called on the thread of a worker, which need not own the loop; one call at a time for each vector.
     *
     * @param irq number of the vector
     * @return true if the interrupt came from this handler's device ({@code IRQ_HANDLED}); false if not ({@code
     *     IRQ_NONE})
     */
    boolean handle(int irq);
}
