// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.EventType;
import java.util.function.Consumer;

/**
 * Waits for the events of the queue pair of an id that matter to its connection: the first packet, which may arrive
 * before the RTU and counts as one, and the migration to the alternate path.
 * The device's thread must not wait for a lock, so the event is handled by the thread that completes futures.
 */
final class QpEventWatch {
    private final QueuePair qp;
    private final Consumer<EventType> handler;
    private final LocalDevice device;
    private final EventRegistration registration;

    /** @param handler called by the device's thread; does not wait */
    QpEventWatch(QueuePair qp, LocalDevice device, Consumer<EventType> handler) {
        this.device = device;
        this.qp = qp;
        this.handler = handler;
        registration = qp.context().registerEventHandler(this::handle);
    }

    private void handle(AsyncEvent event) {
        boolean matters = event.type() == EventType.COMM_EST || event.type() == EventType.PATH_MIG;
        if (matters && event.queuePair() == qp) {
            handler.accept(event.type());
            device.wakeup();
        }
    }

    void close() {
        registration.close();
    }
}
