package io.rdma4j.transport;

import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.queue.CompletionEntry;
import io.rdma4j.verbs.queue.CompletionRing;

/**
 * Posts the completions of a queue pair. If one cannot be posted, no completion can say so: the program is told by an event, once,
 * which is the local work queue catastrophic error (IBA 11.6.3).
 */
final class CompletionPoster {
    private final PacketPort port;
    private boolean mute;

    CompletionPoster(PacketPort port) {
        this.port = port;
    }

    /** The queue pair begins anew. */
    void reset() {
        mute = false;
    }

    /** False if the completion queue is broken. */
    boolean post(CompletionRing queue, CompletionEntry entry, boolean solicited) {
        boolean posted = queue.post(entry, solicited);
        if (!posted && !mute) {
            mute = true;
            port.event(EventType.QP_FATAL);
        }
        return posted;
    }
}
