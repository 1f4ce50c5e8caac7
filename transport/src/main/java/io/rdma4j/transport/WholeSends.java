package io.rdma4j.transport;

import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.verbs.queue.SendOperands;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;

/**
 * The requester's way past packets: short messages that the peer, which is on the same machine, is handed whole ({@link QpPort#handOver}). Only what
 * is sent for the first time, in its turn, and in one piece of memory goes this way. Whatever is special is a matter of packets: paces, credits, reads that are awaited,
 * paths that are about to change.
 */
final class WholeSends {
    private final QpEngine qp;
    private final SendWindow window;
    private final SendCredits credits;
    private final OutstandingReads reads;
    private final RateLimiter rateLimiter;
    private final RequestPayload payload;
    private final WholeMessage message;

    WholeSends(
            QpEngine qp,
            SendWindow window,
            SendCredits credits,
            OutstandingReads reads,
            RateLimiter rateLimiter,
            RequestPayload payload) {
        this.qp = qp;
        this.window = window;
        this.credits = credits;
        this.reads = reads;
        this.rateLimiter = rateLimiter;
        this.payload = payload;
        this.message = qp.context().wholeMessage();
    }

    /** Hands over the window's current request, which was started, if it may go this way. */
    Handover offer(SendHeader request, WireOperation operation) {
        return mayGo() && fill(request, operation) ? qp.port().handOver(message) : Handover.NO_WAY;
    }

    private boolean mayGo() {
        int count = window.packetsLeft();
        return qp.isPlain()
                && window.currentLength() <= WholeMessage.MAX_BYTES
                && window.packetsSent() == 0
                && window.resent(1) == 0
                && count <= window.room()
                && reads.isEmpty()
                && credits.areUnlimited()
                && rateLimiter.packets(qp.connection().pathMtuBytes()) == Integer.MAX_VALUE;
    }

    /** False if it is no such message, or its payload lies in several pieces, or nowhere. */
    private boolean fill(SendHeader request, WireOperation operation) {
        Opcode only = operation.opcode(TransportClass.RC, true, true);
        if (!WholeMessage.mayBe(only)) {
            return false;
        }
        int length = (int) window.currentLength();
        message.begin(only, window.psn(), window.packetsLeft(), length);
        message.solicited = request.hasFlag(SendFlag.SOLICITED);
        message.immediate = request.immediate();
        if (message.isWrite()) {
            message.address = SendOperands.remoteAddress(window.memory(), request.wqe());
            message.rkey = SendOperands.remoteKey(window.memory(), request.wqe());
        }
        qp.address(message);
        return length == 0 || payload.point(message, request, length);
    }
}
