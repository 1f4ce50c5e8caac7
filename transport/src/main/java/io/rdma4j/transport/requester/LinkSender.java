// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.responder.Responder;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;

/**
 * The sending half of a link: passes the posted requests to the responder of the peer, which executes them at once, and
 * completes them. A request that is unusual or that the peer does not take stays in the send queue; the
 * {@link Requester} sends it as packets, so that every error is reported by packets. The caller owns the engines of
 * both queue pairs.
 */
final class LinkSender {
    private final QpCore qp;
    private final SendState state;
    private final SendWindow window;
    private final RequestPayload payload;
    private final CompletionRing completions;

    LinkSender(QpCore qp, SendState state, CompletionRing completions) {
        this.qp = qp;
        this.state = state;
        this.window = state.window;
        this.payload = new RequestPayload(qp, window);
        this.completions = completions;
    }

    /** See {@link SendSide#deliver}. */
    boolean deliver(Responder peer, LinkDelivery link, boolean inLoop) {
        window.look();
        boolean eventIsDue = false;
        boolean delivered = true;
        while (delivered && window.hasCurrent() && isQuiet() && peer.takesNext(window.psn(), inLoop)) {
            long before = link.messages();
            eventIsDue |= deliverSome(peer, peer.completions(), link, inLoop);
            delivered = link.messages() != before;
        }
        return !eventIsDue && !window.hasCurrent();
    }

    /** True if nothing is in flight, and no rule of the connection concerns the next message. */
    private boolean isQuiet() {
        return qp.startsRequests()
                && qp.isPlain()
                && window.isQuiet()
                && state.timers.areIdle()
                && state.reads.isEmpty()
                && state.credits.areUnlimited()
                && state.rateLimiter.isUnlimited();
    }

    /**
     * Delivers as many messages as possible; one if the peer has a shared receive queue, because {@link
     * Responder#takesNext} reserves a receive. Returns true if the owner of the loop has to raise events.
     */
    private boolean deliverSome(Responder peer, CompletionRing receives, LinkDelivery link, boolean inLoop) {
        CompletionRing.lock(completions, receives);
        boolean eventIsDue;
        try {
            while (deliverNext(peer, receives, link, inLoop)) {
                link.count();
                if (!window.hasCurrent() || peer.isShared()) {
                    break;
                }
            }
        } catch (IllegalStateException | InternalError gone) {
            // The application has closed memory that it still uses: the packet path finds it, too, and decides.
            payload.leavePlace();
        } finally {
            eventIsDue = receives.publish();
            eventIsDue |= completions.publish();
            unlock(receives);
        }
        return eventIsDue;
    }

    @SuppressWarnings("ReferenceEquality") // one object per queue
    private void unlock(CompletionRing receives) {
        if (receives != completions) {
            receives.unlock();
        }
        completions.unlock();
    }

    @SuppressWarnings("ReferenceEquality") // one object per queue
    private boolean deliverNext(Responder peer, CompletionRing receives, LinkDelivery link, boolean inLoop) {
        SendHeader request = link.request();
        EagerMessage message = link.message();
        request.read(window.memory(), window.currentWqe());
        WireOperation operation = WireOperation.of(request.opcode());
        if (operation == null || !fill(message, request, operation, inLoop)) {
            return false;
        }
        boolean signaled = qp.signalsAll() || request.hasFlag(SendFlag.SIGNALED);
        if (signaled && !completions.hasRoom(receives == completions ? 2 : 1)) {
            return false;
        }
        if (!peer.take(message, inLoop)) {
            return false;
        }
        qp.trace().request(qp.qpn(), operation.request(), message.length);
        window.pass(message.packets);
        if (signaled) {
            int flags = operation.carriesImmediate() ? WcFlag.WITH_IMM.bit() : 0;
            completions.append(
                    request.wrId(), operation.request().completion(), message.length, qp.qpn(), 0, flags, false);
        }
        return true;
    }

    /** False for a request that the peer cannot be passed at once. */
    private boolean fill(EagerMessage message, SendHeader request, WireOperation operation, boolean inLoop) {
        boolean usual = operation == WireOperation.SEND
                || operation == WireOperation.SEND_WITH_IMM
                || operation == WireOperation.RDMA_WRITE
                || operation == WireOperation.RDMA_WRITE_WITH_IMM;
        long length = request.length();
        boolean fits = usual
                && length <= Math.min(EagerMessage.MAX_BYTES, qp.options().maxMessageBytes())
                && request.numSge() >= 0
                && request.numSge() <= qp.sendQueue().maxSge();
        if (!fits) {
            return false;
        }
        int bytes = (int) length;
        Opcode only = operation.opcode(TransportClass.RC, true, true);
        message.begin(only, window.psn(), qp.connection().packets(bytes), bytes);
        message.solicited = request.hasFlag(SendFlag.SOLICITED);
        message.immediate = request.immediate();
        if (message.isWrite()) {
            message.address = SendOperands.remoteAddress(window.memory(), request.wqe());
            message.rkey = SendOperands.remoteKey(window.memory(), request.wqe());
        }
        return bytes == 0 || payload.point(message, request, bytes, inLoop);
    }
}
