// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.spi.ring.SendQueue;
import io.rdma4j.verbs.wr.WcStatus;

/**
 * A large send in progress ({@code IB_WR_LSO}): divides its bytes into datagrams, each behind the same header.
 *
 * <p>The work request is read once, at the start, because the client can still write into its ring. The segments are
 * traversed once, because datagrams are never retransmitted.
 */
final class LargeSend {
    private final SendQueue queue;
    private final SgeCursor pieces;

    private long header;
    private int headerBytes;
    private int segmentBytes;
    private long left;

    LargeSend(QpCore qp) {
        this.queue = qp.sendQueue();
        this.pieces = new SgeCursor(qp.keys(), qp.protectionDomain(), 0);
    }

    /**
     * Begins the request, if it can be executed completely.
     *
     * @param length bytes behind the headers, within the limit
     * @param mtuBytes of the path: room for header and segment together
     */
    WcStatus begin(SendHeader request, long length, int mtuBytes) {
        int numSge = request.numSge();
        header = request.data();
        headerBytes = request.tsoHeaderBytes();
        segmentBytes = SendOperands.segmentBytes(queue.memory(), request.wqe());
        left = length;
        if (headerBytes < 0 || headerBytes > mtuBytes || segmentBytes < 1 || segmentBytes > mtuBytes - headerBytes) {
            return WcStatus.LOC_LEN_ERR;
        }
        int headerElements = SendQueue.elementsOf(headerBytes);
        if (numSge < 0 || numSge > queue.maxSge() - headerElements) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        long list = SendQueue.data(request.wqe(), headerElements);
        pieces.begin(queue.memory(), list, numSge);
        boolean there = pieces.check(length);
        pieces.begin(queue.memory(), list, numSge);
        return there ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    /** Number of datagrams; without data it is one header. */
    int packets() {
        return (int) Math.max(1, (left + segmentBytes - 1) / segmentBytes);
    }

    /** Bytes of the next datagram, its header included. */
    int nextBytes() {
        return headerBytes + (int) Math.min(left, segmentBytes);
    }

    /**
     * Appends them as fragments; false if the memory was closed meanwhile, or has more segments than a buffer has room
     * for.
     */
    boolean addNext(SkBuff skb) {
        int bytes = (int) Math.min(left, segmentBytes);
        if (headerBytes > 0) {
            skb.addFrag(queue.memory().bytes(), header, headerBytes);
        }
        left -= bytes;
        return pieces.gather(skb, bytes);
    }
}
