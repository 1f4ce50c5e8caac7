// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import java.util.function.Consumer;

/**
 * Registration of a handler of asynchronous events of a context, valid until it is closed. Corresponds to
 * {@code struct ib_event_handler}.
 *
 * <p>A handler may be registered several times; each registration is independent. Any thread.
 */
public final class EventRegistration implements AutoCloseable {
    private final Context context;
    private final Consumer<AsyncEvent> handler;

    EventRegistration(Context context, Consumer<AsyncEvent> handler) {
        this.context = context;
        this.handler = handler;
    }

    /** {@return the context whose events the handler receives} Corresponds to {@code device}. */
    public Context context() {
        return context;
    }

    /** {@return the handler} Corresponds to {@code handler}. */
    public Consumer<AsyncEvent> handler() {
        return handler;
    }

    /** Removes the registration. Idempotent. Corresponds to {@code ib_unregister_event_handler}. */
    @Override
    public void close() {
        context.asyncEvents().unregister(this);
    }
}
