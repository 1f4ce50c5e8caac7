// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.memory.RecentRegion;
import io.rdma4j.transport.memory.RegionKey;
import io.rdma4j.transport.port.LinkDelivery;
import io.rdma4j.transport.port.LinkMessage;
import io.rdma4j.verbs.spi.ring.RingMemory;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.spi.ring.SgeLayout;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.wire.Opcode;
import io.rdma4j.wire.TransportClass;
import org.jspecify.annotations.Nullable;

/** Makes a message of the next request of a send queue, if a link can deliver it. */
class LinkMessages {
    final QpCore qp;
    final SendWindow window;

    /** The region of the last message; null if it has to be looked up. */
    private @Nullable RecentRegion recent;

    LinkMessages(QpCore qp, SendWindow window) {
        this.qp = qp;
        this.window = window;
    }

    /** Forgets the memory of the last message. */
    final void leavePlace() {
        recent = null;
    }

    /**
     * Reads the window's current request into the message of the link.
     *
     * @param inLoop whether the caller owns the port loop
     * @param maxBytes maximum length of the message
     * @return its operation; null if it has to be sent as packets
     */
    final @Nullable WireOperation read(LinkDelivery link, boolean inLoop, int maxBytes) {
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
        return bytes == 0 || point(message, request, bytes, inLoop);
    }

    /**
     * Sets the payload, at least one byte; false if it is not in one memory segment, or not accessible.
     *
     * @param inLoop whether the caller owns the port loop; if not, the memory must be {@linkplain RegionKey#isFixed
     *     fixed}
     */
    private boolean point(LinkMessage message, SendHeader request, int bytes, boolean inLoop) {
        RingMemory memory = window.memory();
        if (request.hasFlag(SendFlag.INLINE)) {
            message.payload(memory.bytes(), request.data());
            return bytes <= window.maxInlineData();
        }
        long at = request.data();
        for (int left = request.numSge(); left > 0; left--) {
            long lengthAndKey = SgeLayout.lengthAndKey(memory, at);
            long length = SgeLayout.length(lengthAndKey);
            if (length > 0) {
                // The others have to be empty.
                return bytes <= length
                        && point(
                                message,
                                SgeLayout.lkey(lengthAndKey),
                                SgeLayout.address(memory, at),
                                length,
                                bytes,
                                inLoop);
            }
            at += SgeLayout.BYTES;
        }
        return false;
    }

    private boolean point(LinkMessage message, int lkey, long address, long length, int bytes, boolean inLoop) {
        RecentRegion last = recent;
        if (last != null && last.covers(lkey, address, length)) {
            message.payload(last.memory(), last.offset(address));
            return true;
        }
        RegionKey key = qp.keys().lookup(qp.protectionDomain(), lkey, 0);
        if (key == null
                || !key.contains(address, length)
                || !key.admits(address, 0)
                || !inLoop && !key.isFixed()
                || key.contiguous(address, bytes) < bytes) {
            return false;
        }
        recent = key.recent();
        message.payload(key.memory(address), key.offset(address));
        return true;
    }
}
