// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;

/**
 * What the ends of a connection tell each other. Corresponds to {@code struct rdma_conn_param}.
 *
 * @param privateData data of the program; copied by the call. In an event a copy of the whole field of the message,
 *     with 0 after the data
 * @param responderResources READs and atomics of the peer that this end serves at once: 8 bits; {@link #MAXIMUM} for
 *     what the device can
 * @param initiatorDepth READs and atomics that this end has outstanding at once: 8 bits, or {@link #MAXIMUM}
 * @param flowControl true if the queue pair has end-to-end credits
 * @param retryCount {@code retry_cnt}: values above 7 are 7
 * @param rnrRetryCount {@code rnr_retry}: values above 7 are 7
 * @param srq true if the queue pair has a shared receive queue; only used without queue pair on the id
 * @param qpn queue pair; only used without queue pair on the id
 */
public record ConnectParameters(
        MemorySegment privateData,
        int responderResources,
        int initiatorDepth,
        boolean flowControl,
        int retryCount,
        int rnrRetryCount,
        boolean srq,
        int qpn) {
    /** As many READs and atomics as the device can: {@code RDMA_MAX_RESP_RES}. */
    public static final int MAXIMUM = 0xFF;

    private static final int MAX_RETRIES = 7;

    /** No private data, the maxima of the device, retry counts of 7. */
    public static final ConnectParameters DEFAULT =
            new ConnectParameters(MemorySegment.NULL, MAXIMUM, MAXIMUM, false, MAX_RETRIES, MAX_RETRIES, false, 0);

    /**
     * Checks the widths and cuts the retry counts.
     *
     * @throws RdmaException EINVAL if a value has more bits than its field
     */
    public ConnectParameters {
        checkByte("responder_resources", responderResources);
        checkByte("initiator_depth", initiatorDepth);
        checkByte("retry_count", retryCount);
        checkByte("rnr_retry_count", rnrRetryCount);
        retryCount = Math.min(retryCount, MAX_RETRIES);
        rnrRetryCount = Math.min(rnrRetryCount, MAX_RETRIES);
    }

    private static void checkByte(String name, int value) {
        if (value < 0 || value > MAXIMUM) {
            throw new RdmaException(Errno.EINVAL, name + " " + value + " does not fit into 8 bits");
        }
    }

    /**
     * {@return these parameters with other data of the program}
     *
     * @param data at most 56 bytes for a connection, 180 for a datagram service, 196 to accept, 136 for its answer
     */
    public ConnectParameters withPrivateData(MemorySegment data) {
        return new ConnectParameters(
                data, responderResources, initiatorDepth, flowControl, retryCount, rnrRetryCount, srq, qpn);
    }

    /**
     * {@return these parameters with other numbers of READs and atomics}
     *
     * @param responder {@link #responderResources}
     * @param initiator {@link #initiatorDepth}
     */
    public ConnectParameters withResources(int responder, int initiator) {
        return new ConnectParameters(
                privateData, responder, initiator, flowControl, retryCount, rnrRetryCount, srq, qpn);
    }

    /**
     * {@return these parameters with other retry counts}
     *
     * @param retry {@link #retryCount}
     * @param rnrRetry {@link #rnrRetryCount}
     */
    public ConnectParameters withRetryCounts(int retry, int rnrRetry) {
        return new ConnectParameters(
                privateData, responderResources, initiatorDepth, flowControl, retry, rnrRetry, srq, qpn);
    }

    /**
     * {@return these parameters with a queue pair that the id does not know}
     *
     * @param number 24 bits
     * @param hasSrq true if it has a shared receive queue
     */
    public ConnectParameters withQueuePair(int number, boolean hasSrq) {
        return new ConnectParameters(
                privateData,
                responderResources,
                initiatorDepth,
                flowControl,
                retryCount,
                rnrRetryCount,
                hasSrq,
                number);
    }
}
