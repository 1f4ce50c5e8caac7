package io.rdma4j.verbs;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a completion queue is to be made. Answers to {@code struct ibv_cq_init_attr_ex}; immutable.
 *
 * @param entries {@code cqe}: completions it holds at least
 * @param channel {@code channel}: where its events go; null if it is only polled
 * @param vector {@code comp_vector}: which of the device's progress threads serves it, from 0
 * @param userContext {@code cq_context}: the program's own, never looked at
 * @param eventHandler gets the queue's asynchronous events; called on the device's thread: it must neither
 *     block nor change objects of the device
 */
public record CqInitAttributes(
        int entries,
        @Nullable CompletionChannel channel,
        int vector,
        @Nullable Object userContext,
        @Nullable Consumer<AsyncEvent> eventHandler) {

    /** A queue that is only polled. */
    public static CqInitAttributes of(int entries) {
        return new CqInitAttributes(entries, null, 0, null, null);
    }

    /** A queue with a channel. */
    public static CqInitAttributes of(int entries, @Nullable CompletionChannel channel, int vector) {
        return new CqInitAttributes(entries, channel, vector, null, null);
    }

    /** The same with the program's own object attached. */
    public CqInitAttributes withUserContext(@Nullable Object context) {
        return new CqInitAttributes(entries, channel, vector, context, eventHandler);
    }

    /** The same with a handler for asynchronous events. */
    public CqInitAttributes withEventHandler(@Nullable Consumer<AsyncEvent> handler) {
        return new CqInitAttributes(entries, channel, vector, userContext, handler);
    }
}
