// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs;

import io.rdma4j.verbs.core.HandlerCall;
import io.rdma4j.verbs.device.PortNotice;
import java.util.Collection;
import java.util.function.Consumer;

/** Registration of a handler for the traps of a port, until it is closed; see {@link Port#onTrap}. Any thread. */
public final class TrapRegistration implements AutoCloseable {
    private final Collection<TrapRegistration> all;
    private final int port;
    private final Consumer<PortNotice> handler;

    /** @param all the registrations of the context */
    TrapRegistration(Collection<TrapRegistration> all, int port, Consumer<PortNotice> handler) {
        this.all = all;
        this.port = port;
        this.handler = handler;
    }

    void deliver(PortNotice notice) {
        if (notice.port() == port) {
            HandlerCall.run(() -> handler.accept(notice));
        }
    }

    /** Removes the handler. Idempotent. */
    @Override
    public void close() {
        all.remove(this);
    }
}
