// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.EventRegistration;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.EventType;

/**
 * Waits for the first packet on the queue pair of an id, which may arrive before the RTU and counts as one.
 * The device's thread must not wait for a lock, so the event is handled by the thread that completes futures.
 */
final class QpEventWatch {
    private final QueuePair qp;
    private final Runnable handler;
    private final LocalDevice device;
    private final EventRegistration registration;

    /** @param handler called by the device's thread; does not wait */
    QpEventWatch(QueuePair qp, LocalDevice device, Runnable handler) {
        this.device = device;
        this.qp = qp;
        this.handler = handler;
        registration = qp.context().registerEventHandler(this::handle);
    }

    private void handle(AsyncEvent event) {
        if (event.type() == EventType.COMM_EST && event.queuePair() == qp) {
            handler.run();
            device.wakeup();
        }
    }

    void close() {
        registration.close();
    }
}
