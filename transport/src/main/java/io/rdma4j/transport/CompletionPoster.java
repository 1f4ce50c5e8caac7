package io.rdma4j.transport;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.CompletionRing;

/**
 * Posts the completions of a queue pair. If one cannot be posted, no completion can say so: the program is told by an event, once,
 * which is the local work queue catastrophic error (IBA 11.6.3).
 */
final class CompletionPoster {
    private final CompletionEntry scratch;
    private final Trace trace;
    private final int qpn;
    private final PacketPort port;
    private boolean mute;

    CompletionPoster(TransportContext context, int qpn, PacketPort port) {
        this.scratch = context.completion();
        this.trace = context.trace();
        this.qpn = qpn;
        this.port = port;
    }

    /** The queue pair begins anew. */
    void reset() {
        mute = false;
    }

    /** The device's scratch completion, set up for this queue pair. */
    CompletionEntry begin(long wrId, WcStatus status, WcOpcode opcode) {
        return scratch.begin(wrId, status, opcode, qpn);
    }

    /** False if the completion queue is broken. */
    boolean post(CompletionRing queue, CompletionEntry entry, boolean solicited) {
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
