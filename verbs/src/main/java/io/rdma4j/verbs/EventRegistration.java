package io.rdma4j.verbs;

import java.util.function.Consumer;

/**
 * A handler that hears the asynchronous events of a context until it is taken back. Answers to {@code struct ib_event_handler}.
 *
 * <p>The same handler may be registered more than once: each registration is one of its own. Any thread may call.
 */
public final class EventRegistration implements AutoCloseable {
    private final Context context;
    private final Consumer<AsyncEvent> handler;

    EventRegistration(Context context, Consumer<AsyncEvent> handler) {
        this.context = context;
        this.handler = handler;
    }

    /** {@return whose events it hears} Answers to {@code device}. */
    public Context context() {
        return context;
    }

    /** {@return whom it tells} Answers to {@code handler}. */
    public Consumer<AsyncEvent> handler() {
        return handler;
    }

    /** Takes the handler back. Idempotent. Answers to {@code ib_unregister_event_handler}. */
    @Override
    public void close() {
        context.asyncEvents().unregister(this);
    }
}
