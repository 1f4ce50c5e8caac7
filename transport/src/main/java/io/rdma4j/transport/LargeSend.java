package io.rdma4j.transport;

import io.rdma4j.packet.SkBuff;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.verbs.queue.SendOperands;
import io.rdma4j.verbs.queue.SendQueue;
import java.lang.foreign.MemorySegment;

/**
 * A large send on its way ({@code IB_WR_LSO}): how its bytes are cut into datagrams, each behind the same header.
 *
 * <p>What the work request says of it is read once, when it begins, since the client can still write into its ring; and as
 * datagrams are never sent again, the pieces are gone through once.
 */
final class LargeSend {
    private final SendQueue queue;
    private final MemorySegment wqes;
    private final SgeCursor pieces;

    private long header;
    private int headerBytes;
    private int segmentBytes;
    private long left;

    LargeSend(QpEngine qp) {
        this.queue = qp.sendQueue();
        this.wqes = queue.memory();
        this.pieces = new SgeCursor(qp.keys(), qp.protectionDomain(), 0);
    }

    /**
     * Begins the request, if it can be carried out whole.
     *
     * @param length bytes behind the headers, within the limit
     * @param mtuBytes of the path: room for header and segment together
     */
    WcStatus begin(SendHeader request, long length, int mtuBytes) {
        int numSge = request.numSge();
        header = request.data();
        headerBytes = request.tsoHeaderBytes();
        segmentBytes = SendOperands.segmentBytes(wqes, request.wqe());
        left = length;
        if (headerBytes < 0 || headerBytes > mtuBytes || segmentBytes < 1 || segmentBytes > mtuBytes - headerBytes) {
            return WcStatus.LOC_LEN_ERR;
        }
        int headerElements = SendQueue.elementsOf(headerBytes);
        if (numSge < 0 || numSge > queue.maxSge() - headerElements) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        long list = SendQueue.data(request.wqe(), headerElements);
        pieces.begin(wqes, list, numSge);
        boolean there = pieces.check(length);
        pieces.begin(wqes, list, numSge);
        return there ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
    }

    /** Datagrams that it takes; without data it is one header. */
    int packets() {
        return (int) Math.max(1, (left + segmentBytes - 1) / segmentBytes);
    }

    /** Bytes of the next datagram, its header included. */
    int nextBytes() {
        return headerBytes + (int) Math.min(left, segmentBytes);
    }

    /** Appends them as fragments; false if the memory went away meanwhile, or is in more pieces than a buffer has room for. */
    boolean addNext(SkBuff skb) {
        int bytes = (int) Math.min(left, segmentBytes);
        if (headerBytes > 0) {
            skb.addFrag(wqes, header, headerBytes);
        }
        left -= bytes;
        return pieces.gather(skb, bytes);
    }
}
