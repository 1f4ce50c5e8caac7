// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.transport.event.TransportEvents;
import io.rdma4j.transport.memory.KeyTable;
import io.rdma4j.transport.port.PacketPort;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.transport.port.TransportCounters;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;
import org.jspecify.annotations.Nullable;

/** What every engine shares with its parts: number, state, and the objects of the device. */
public class EngineCore {
    private final int qpn;
    private final TransportContext context;
    private final PacketPort port;

    private volatile QpState state = QpState.RESET;

    /** Set once, by the engine that is created with this core. */
    private @Nullable QpControl control;

    /** The event of a completion that could not be posted was raised. */
    private boolean isBroken;

    public EngineCore(int qpn, TransportContext context, PacketPort port) {
        this.qpn = qpn;
        this.context = context;
        this.port = port;
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

    /** The device's scratch completion, set up for this queue pair. */
    public final CompletionEntry completion(long wrId, WcStatus status, WcOpcode opcode) {
        return context.completion().begin(wrId, status, opcode, qpn);
    }

    /**
     * Posts a completion. If one cannot be posted, the queue pair raises an event once: the local work queue
     * catastrophic error (IBA 11.6.3).
     *
     * @return false if the completion queue is broken
     */
    public final boolean post(CompletionRing queue, CompletionEntry entry, boolean solicited) {
        if (entry.status != WcStatus.SUCCESS) {
            trace().completionError(qpn, entry.wrId, entry.status, entry.vendorError);
        }
        boolean posted = queue.post(entry, solicited);
        if (!posted && !isBroken) {
            isBroken = true;
            port.event(EventType.QP_FATAL);
        }
        return posted;
    }

    /** Handles a reset of the queue pair: {@link #post} may raise the event again. */
    public final void reset() {
        isBroken = false;
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
