// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import org.jspecify.annotations.Nullable;

/** Makes a message of the next request of a send queue, if a link can deliver it. */
final class LinkMessages {
    private final QpCore qp;
    private final SendWindow window;
    private final RequestPayload payload;

    LinkMessages(QpCore qp, SendWindow window) {
        this.qp = qp;
        this.window = window;
        this.payload = new RequestPayload(qp, window);
    }

    /** Forgets the memory of the last message. */
    void leavePlace() {
        payload.leavePlace();
    }

    /**
     * Reads the window's current request into the message of the link.
     *
     * @param inLoop whether the caller owns the port loop
     * @param maxBytes maximum length of the message
     * @return its operation; null if it has to be sent as packets
     */
    @Nullable
    WireOperation read(LinkDelivery link, boolean inLoop, int maxBytes) {
        SendHeader request = link.request();
        request.read(window.memory(), window.currentWqe());
        WireOperation operation = WireOperation.of(request.opcode());
        return operation != null && fill(link.message(), request, operation, inLoop, maxBytes) ? operation : null;
    }

    private boolean fill(
            LinkMessage message, SendHeader request, WireOperation operation, boolean inLoop, int maxBytes) {
        boolean usual = operation == WireOperation.SEND
                || operation == WireOperation.SEND_WITH_IMM
                || operation == WireOperation.RDMA_WRITE
                || operation == WireOperation.RDMA_WRITE_WITH_IMM;
        long length = request.length();
        boolean fits = usual
                && length <= Math.min(maxBytes, qp.options().maxMessageBytes())
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
