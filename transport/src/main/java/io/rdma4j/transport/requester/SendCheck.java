// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.requester;

import io.rdma4j.transport.common.QpCore;
import io.rdma4j.transport.common.WireOperation;
import io.rdma4j.transport.memory.SgeCursor;
import io.rdma4j.transport.port.TransportOptions;
import io.rdma4j.verbs.spi.ring.SendHeader;
import io.rdma4j.verbs.spi.ring.SendOperands;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.wr.SendFlag;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.wire.TransportClass;

/**
 * Checks a send request before a packet of it is sent. The client's ring is not trusted: it may contain requests that
 * the verbs core would reject when they are posted.
 */
final class SendCheck {
    private final QpCore qp;
    private final OutstandingReads reads;
    private final SendWindow window;
    private final SgeCursor scatter;

    SendCheck(QpCore qp, OutstandingReads reads, SendWindow window) {
        this.qp = qp;
        this.reads = reads;
        this.window = window;
        this.scatter = new SgeCursor(qp.keys(), qp.protectionDomain(), AccessFlag.LOCAL_WRITE.bit());
    }

    /**
     * SUCCESS, or the status with which a request fails; checked again for each train, since the client can still write
     * into its ring.
     */
    WcStatus validate(SendHeader request, WireOperation operation) {
        if (!isSound(request, operation)) {
            return WcStatus.LOC_QP_OP_ERR;
        }
        if (!operation.isLocal() && !operation.allows(request.length(), maxBytes(operation))) {
            return WcStatus.LOC_LEN_ERR;
        }
        boolean unreachable =
                isDatagram() && qp.port().path(SendOperands.addressHandle(window.memory(), request.wqe())) == null;
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

    /** True if the queue pair was created with the flags that the operation needs. */
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

    /**
     * True if the memory for the response is accessible. If it is not, the request must not reach the peer, since an
     * atomic cannot be undone.
     */
    boolean canLand(SendHeader request) {
        scatter.begin(window.memory(), request.data(), request.numSge());
        return scatter.check(request.length());
    }
}
