// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.transport.event.TransportEvents;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.port.PacketPort;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.values.QpState;
import org.jspecify.annotations.Nullable;

/** What every engine shares with its parts: number, state, and the objects of the device. */
public class EngineCore {
    private final int qpn;
    private final TransportContext context;
    private final CompletionPoster poster;

    private volatile QpState state = QpState.RESET;

    /** Set once, by the engine that is created with this core. */
    private @Nullable QpControl control;

    public EngineCore(int qpn, TransportContext context, PacketPort port) {
        this.qpn = qpn;
        this.context = context;
        this.poster = new CompletionPoster(context, qpn, port);
    }

    /** Sets the engine that the parts call. */
    public final void control(QpControl engine) {
        control = engine;
    }

    public final QpControl control() {
        QpControl engine = control;
        if (engine == null) {
            throw new IllegalStateException("queue pair " + qpn + " has no engine yet");
        }
        return engine;
    }

    /** Number of the queue pair, 24 bits. */
    public final int qpn() {
        return qpn;
    }

    /** Current state; thread-safe. */
    public final QpState state() {
        return state;
    }

    /** Enters a state; called by the engine only. */
    public final void become(QpState next) {
        context.trace().state(qpn, state, next);
        state = next;
    }

    /** True in the states in which requests are sent and responses are processed. */
    public final boolean sendsRequests() {
        return state == QpState.RTS || state == QpState.SQD;
    }

    /** True if new requests may be started; a draining queue only finishes those that it has started (IBA 10.3.1.5). */
    public final boolean startsRequests() {
        return state == QpState.RTS;
    }

    public final TransportContext context() {
        return context;
    }

    public final CompletionPoster poster() {
        return poster;
    }

    public final KeyTable keys() {
        return context.keys();
    }

    public final TransportEvents trace() {
        return context.trace();
    }

    public final TransportCounters counters() {
        return context.counters();
    }

    public final TransportOptions options() {
        return context.options();
    }
}
