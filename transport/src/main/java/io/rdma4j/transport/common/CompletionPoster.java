// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.transport.event.TransportEvents;
import io.rdma4j.transport.port.PacketPort;
import io.rdma4j.transport.port.TransportContext;
import io.rdma4j.verbs.spi.ring.CompletionEntry;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.wr.WcOpcode;
import io.rdma4j.verbs.wr.WcStatus;

/**
 * Posts the completions of a queue pair. If a completion cannot be posted, the queue pair raises an event once: the
 * local work queue catastrophic error (IBA 11.6.3).
 */
public final class CompletionPoster {
    private final CompletionEntry scratch;
    private final TransportEvents trace;
    private final int qpn;
    private final PacketPort port;
    private boolean mute;

    CompletionPoster(TransportContext context, int qpn, PacketPort port) {
        this.scratch = context.completion();
        this.trace = context.trace();
        this.qpn = qpn;
        this.port = port;
    }

    /** Handles a reset of the queue pair. */
    public void reset() {
        mute = false;
    }

    /** The device's scratch completion, set up for this queue pair. */
    public CompletionEntry begin(long wrId, WcStatus status, WcOpcode opcode) {
        return scratch.begin(wrId, status, opcode, qpn);
    }

    /** False if the completion queue is broken. */
    public boolean post(CompletionRing queue, CompletionEntry entry, boolean solicited) {
        if (entry.status != WcStatus.SUCCESS) {
            trace.completionError(qpn, entry.wrId, entry.status, entry.vendorError);
        }
        boolean posted = queue.post(entry, solicited);
        if (!posted && !mute) {
            mute = true;
            port.event(EventType.QP_FATAL);
        }
        return posted;
    }
}
