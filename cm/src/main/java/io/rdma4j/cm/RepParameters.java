// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import java.lang.foreign.MemorySegment;

/**
 * Contents of a REP. Corresponds to {@code struct ib_cm_rep_param}.
 *
 * @param qpn queue pair of this end: 24 bits
 * @param startingPsn first PSN that the peer sends: {@code rq_psn} of the queue pair. Should be random.
 * @param responderResources READs and atomics that this end serves at once
 * @param initiatorDepth READs and atomics that this end has outstanding at once
 * @param failoverAccepted the alternate path of the request: 0 accepted, 1 not supported, 2 rejected
 * @param flowControl true if the queue pair has end-to-end credits
 * @param rnrRetryCount {@code rnr_retry} of the peer's queue pair
 * @param srq true if the queue pair has a shared receive queue
 * @param ece options of the vendor
 * @param privateData data of the program, up to 196 bytes
 */
public record RepParameters(
        int qpn,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        int failoverAccepted,
        boolean flowControl,
        int rnrRetryCount,
        boolean srq,
        Ece ece,
        MemorySegment privateData) {

    private static final int UNLIMITED = 7;

    /**
     * {@return the answer to a request, with its resources crossed, an RNR retry count of 7 and no private data}
     *
     * @param request the request
     * @param qpn queue pair of this end
     * @param startingPsn first PSN that the peer sends
     */
    public static RepParameters to(CmEvent.ReqReceived request, int qpn, int startingPsn) {
        return new RepParameters(
                qpn,
                startingPsn,
                request.responderResources(),
                request.initiatorDepth(),
                0,
                false,
                UNLIMITED,
                false,
                Ece.NONE,
                MemorySegment.NULL);
    }

    /**
     * {@return these parameters with other data of the program}
     *
     * @param data up to 196 bytes
     */
    public RepParameters withPrivateData(MemorySegment data) {
        return new RepParameters(
                qpn,
                startingPsn,
                responderResources,
                initiatorDepth,
                failoverAccepted,
                flowControl,
                rnrRetryCount,
                srq,
                ece,
                data);
    }
}
