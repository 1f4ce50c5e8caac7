package io.rdma4j.verbs;

import java.util.function.Consumer;

/** Registration of a handler for the traps of a port, until it is closed; see {@link Port#onTrap}. Any thread. */
public final class TrapRegistration implements AutoCloseable {
    private final Context context;
    private final int port;
    private final Consumer<PortNotice> handler;

    TrapRegistration(Context context, int port, Consumer<PortNotice> handler) {
        this.context = context;
        this.port = port;
        this.handler = handler;
    }

    void deliver(PortNotice notice) {
        if (notice.port() == port) {
            handler.accept(notice);
        }
    }

    /** Removes the handler. Idempotent. */
    @Override
    public void close() {
        context.traps().remove(this);
    }
}
