package io.rdma4j.transport;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.SendFlag;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.queue.SendHeader;
import io.rdma4j.verbs.queue.SendOperands;
import io.rdma4j.wire.TransportClass;
import java.lang.foreign.MemorySegment;

/**
 * What can be wrong with a send request before a packet of it is sent. The client's ring is not trusted: what the verbs core
 * refuses when a request is posted may stand in it all the same.
 */
final class SendCheck {
    private final QpEngine qp;
    private final OutstandingReads reads;
    private final MemorySegment wqes;
    private final SgeCursor landing;

    SendCheck(QpEngine qp, OutstandingReads reads, MemorySegment wqes) {
        this.qp = qp;
        this.reads = reads;
        this.wqes = wqes;
        this.landing = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /** SUCCESS, or what a request fails with; asked again for each train, since the client can still write into its ring. */
    WcStatus validate(SendHeader request, WireOperation operation) {
        if (!isSound(request, operation)) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        if (!operation.isLocal() && !operation.allows(request.length(), maxBytes(operation))) {
            return WcStatus.LOC_LEN_ERR;
        }
        boolean unreachable = isDatagram() && qp.port().path(SendOperands.addressHandle(wqes, request.wqe())) == null;
        return unreachable ? WcStatus.LOC_QP_OP_ERR : WcStatus.SUCCESS;
    }

    private boolean isSound(SendHeader request, WireOperation operation) {
        int numSge = request.numSge();
        return operation.isServedBy(qp.service())
                && (reads.isAllowed() || !operation.hasOwnResponse())
                && isEnabled(operation)
                && numSge >= 0
                && numSge <= qp.sendQueue().maxSge()
                && (!request.hasFlag(SendFlag.INLINE)
                        || request.length() <= qp.sendQueue().maxInlineData());
    }

    /** What a queue pair must have been made for. */
    private boolean isEnabled(WireOperation operation) {
        return switch (operation) {
            case MASKED_ATOMIC_CMP_AND_SWP, MASKED_ATOMIC_FETCH_AND_ADD -> qp.agreesOnMaskedAtomics();
            case TSO -> qp.sendsLarge();
            default -> true;
        };
    }

    private long maxBytes(WireOperation operation) {
        if (operation == WireOperation.TSO) {
            return TransportOptions.MAX_LARGE_SEND_BYTES;
        }
        return isDatagram() ? qp.connection().pathMtuBytes() : qp.options().maxMessageBytes();
    }

    private boolean isDatagram() {
        return qp.service() == TransportClass.UD;
    }

    /** True if the answer finds its place: otherwise the peer's memory is better left alone, an atomic cannot be undone. */
    boolean canLand(SendHeader request) {
        landing.begin(wqes, request.data(), request.numSge());
        return landing.check(request.length());
    }
}
