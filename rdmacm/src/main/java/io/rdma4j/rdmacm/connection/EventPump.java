// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.connection;

import io.rdma4j.rdmacm.ConnectionEvent;
import io.rdma4j.rdmacm.EventChannel;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Passes the events of a channel to a handler, on the thread that drives the device. */
final class EventPump {
    private final EventChannel channel;
    private final Consumer<ConnectionEvent> handler;

    private EventPump(EventChannel channel, Consumer<ConnectionEvent> handler) {
        this.channel = channel;
        this.handler = handler;
    }

    static void start(EventChannel channel, Consumer<ConnectionEvent> handler) {
        new EventPump(channel, handler).next();
    }

    private void next() {
        // A closed channel ends the pump.
        CompletableFuture<Void> _ = channel.next().thenAccept(event -> {
            event.acknowledge(); // The handler may close the id.
            handler.accept(event);
            next();
        });
    }
}
