// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.EagerMessage;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;

/**
 * Sends short messages to a peer in another process on the same machine as a whole instead of as packets ({@link
 * QpPort#sendEager}). Only a message that is sent for the first time, in order, and from one memory segment is sent
 * eagerly. Packets are used while rate limiting, credits, outstanding READs or path migration are active.
 */
final class EagerSender {
    private final QpCore qp;
    private final SendState state;
    private final SendWindow window;
    private final RequestPayload payload;
    private final EagerMessage message;

    EagerSender(QpCore qp, SendState state, RequestPayload payload) {
        this.qp = qp;
        this.state = state;
        this.window = state.window;
        this.payload = payload;
        this.message = qp.context().eagerMessage();
    }

    /** Sends the window's current request, which was started, as an eager message; false if that is not possible. */
    boolean offer(SendHeader request, WireOperation operation) {
        return mayGo() && fill(request, operation) && qp.port().sendEager(message);
    }

    private boolean mayGo() {
        int count = window.packetsLeft();
        return qp.isPlain()
                && window.currentLength() <= EagerMessage.MAX_BYTES
                && window.packetsSent() == 0
                && window.resent(1) == 0
                && count <= window.room()
                && state.reads.isEmpty()
                && state.credits.areUnlimited()
                && state.rateLimiter.packets(qp.connection().pathMtuBytes()) == Integer.MAX_VALUE;
    }

    /** False if the operation cannot be sent eagerly, or if its payload is invalid or consists of several segments. */
    private boolean fill(SendHeader request, WireOperation operation) {
        Opcode only = operation.opcode(TransportClass.RC, true, true);
        if (!EagerMessage.mayBe(only)) {
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
        return length == 0 || payload.point(message, request, length, /* inLoop= */ true);
    }
}
