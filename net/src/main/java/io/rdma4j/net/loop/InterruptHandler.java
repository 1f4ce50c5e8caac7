package io.rdma4j.net.loop;

/** What is done when a vector wakes a worker ({@code irq_handler_t}); short, as it schedules a {@link io.rdma4j.net.Napi}. */
@FunctionalInterface
public interface InterruptHandler {
    /**
     * Called on the thread of a worker, who need not own the loop; one call at a time for each vector.
     *
     * @param irq number of the vector
     * @return true if it was this one's ({@code IRQ_HANDLED}); another one of the vector may be meant ({@code IRQ_NONE})
     */
    boolean handle(int irq);
}
