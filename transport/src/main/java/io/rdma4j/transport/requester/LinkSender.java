// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.transport.responder.Responder;
import io.rdma4j.verbs.spi.ring.CompletionRing;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcFlag;

/**
 * The sending half of a link: passes the posted requests to the responder of the peer, which executes them at once, and
 * completes them. A request that is unusual or that the peer does not take stays in the send queue; the
 * {@link Requester} sends it as packets, so that every error is reported by packets. The caller owns the engines of
 * both queue pairs.
 */
final class LinkSender extends LinkMessages {
    private final SendState state;
    private final CompletionRing completions;

    LinkSender(QpCore qp, SendState state, CompletionRing completions) {
        super(qp, state.window);
        this.state = state;
        this.completions = completions;
    }

    /** See {@link SendSide#deliver}. */
    boolean deliver(Responder peer, LinkDelivery link, boolean inLoop) {
        window.look();
        boolean eventIsDue = false;
        boolean delivered = true;
        while (delivered && window.hasCurrent() && isQuiet() && peer.takesNext(window.psn(), inLoop)) {
            long before = link.steps();
            eventIsDue |= deliverSome(peer, peer.completions(), link, inLoop);
            delivered = link.steps() != before;
        }
        return !eventIsDue && !window.hasCurrent();
    }

    private boolean isQuiet() {
        return qp.startsRequests() && state.isQuiet() && state.timers.areIdle();
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
                link.countSent();
                link.countCompleted();
                link.countReceived();
                if (!window.hasCurrent() || peer.isShared()) {
                    break;
                }
            }
        } catch (IllegalStateException | InternalError gone) {
            // The application has closed memory that it still uses: the packet path finds it, too, and decides.
            leavePlace();
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
        LinkMessage message = link.message();
        WireOperation operation = read(link, inLoop, LinkMessage.MAX_BYTES);
        if (operation == null) {
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
}
