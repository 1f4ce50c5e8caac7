// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Psn;
import io.rdma4j.base.Qpn;
import io.rdma4j.verbs.values.QpType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Contents of a REQ. Corresponds to {@code struct ib_cm_req_param}.
 *
 * @param path the primary path
 * @param alternatePath the path after a migration, or null. If the peer rejects it, the request is repeated without it.
 * @param serviceId the service that the peer listens for
 * @param qpType RC, UC or XRC_INI
 * @param qpn queue pair of this end
 * @param startingPsn first PSN that the peer sends: {@code rq_psn} of the queue pair. Should be random.
 * @param responderResources READs and atomics that this end serves at once
 * @param initiatorDepth READs and atomics that this end has outstanding at once
 * @param retryCount {@code retry_cnt} of both queue pairs
 * @param rnrRetryCount {@code rnr_retry} of the peer's queue pair
 * @param remoteCmResponseTimeout time in which the peer answers the REQ, exponent of 4.096 µs
 * @param localCmResponseTimeout time in which this end answers the REP, exponent of 4.096 µs
 * @param maxCmRetries how often a message is repeated
 * @param flowControl true if the queue pair has end-to-end credits
 * @param srq true if the queue pair has a shared receive queue
 * @param peerToPeer true if the peer sends a request for the same service, too; neither of them listens
 * @param ece options of the vendor
 * @param privateData data of the program, up to 92 bytes
 */
public record ReqParameters(
        CmPath path,
        @Nullable CmPath alternatePath,
        long serviceId,
        QpType qpType,
        int qpn,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        int remoteCmResponseTimeout,
        int localCmResponseTimeout,
        int maxCmRetries,
        boolean flowControl,
        boolean srq,
        boolean peerToPeer,
        Ece ece,
        MemorySegment privateData) {

    /**
     * {@return a builder with the defaults of rdma_cm: RC, one READ or atomic in each direction, retry counts 7,
     * response timeouts of 4.3 s, 15 repetitions, no private data}
     *
     * @param path the primary path
     * @param serviceId the service that the peer listens for
     */
    public static Builder builder(CmPath path, long serviceId) {
        return new Builder(path, serviceId);
    }

    /** Collects the contents of a REQ; the component of the same name says more about a value. One thread. */
    public static final class Builder {
        private static final int RESPONSE_TIMEOUT = 20;
        private static final int MAX_RETRIES = 15;
        private static final int RETRIES_OF_QP = 7;

        private final CmPath path;
        private final long serviceId;
        private @Nullable CmPath alternatePath;
        private QpType qpType = QpType.RC;
        private int qpn;
        private int startingPsn;
        private int responderResources = 1;
        private int initiatorDepth = 1;
        private int retryCount = RETRIES_OF_QP;
        private int rnrRetryCount = RETRIES_OF_QP;
        private int remoteCmResponseTimeout = RESPONSE_TIMEOUT;
        private int localCmResponseTimeout = RESPONSE_TIMEOUT;
        private int maxCmRetries = MAX_RETRIES;
        private boolean flowControl;
        private boolean srq;
        private boolean peerToPeer;
        private Ece ece = Ece.NONE;
        private MemorySegment privateData = MemorySegment.NULL;

        private Builder(CmPath path, long serviceId) {
            this.path = path;
            this.serviceId = serviceId;
        }

        /**
         * Sets the queue pair and the first PSN that it receives.
         *
         * @param type RC, UC or XRC_INI
         * @param number 24 bits
         * @param psn 24 bits; should be random
         * @return this builder
         */
        public Builder queuePair(QpType type, int number, int psn) {
            qpType = type;
            qpn = Qpn.of(number);
            startingPsn = Psn.of(psn);
            return this;
        }

        /**
         * Sets the path after a migration.
         *
         * @param alternate with the P_Key and the MTU of the primary path
         * @return this builder
         */
        public Builder alternatePath(CmPath alternate) {
            alternatePath = alternate;
            return this;
        }

        /**
         * Sets the number of READs and atomics at once.
         *
         * @param responder that this end serves
         * @param initiator that this end has outstanding
         * @return this builder
         */
        public Builder resources(int responder, int initiator) {
            responderResources = responder;
            initiatorDepth = initiator;
            return this;
        }

        /**
         * Sets the retry counts of the queue pairs.
         *
         * @param retry 3 bits
         * @param rnrRetry 3 bits, 7 for unlimited
         * @return this builder
         */
        public Builder retryCounts(int retry, int rnrRetry) {
            retryCount = retry;
            rnrRetryCount = rnrRetry;
            return this;
        }

        /**
         * Sets the times of the messages.
         *
         * @param remote response timeout of the peer: 5 bits, exponent of 4.096 µs
         * @param local response timeout of this end
         * @param retries how often a message is repeated: 4 bits
         * @return this builder
         */
        public Builder responseTimeouts(int remote, int local, int retries) {
            remoteCmResponseTimeout = remote;
            localCmResponseTimeout = local;
            maxCmRetries = retries;
            return this;
        }

        /**
         * Sets what the peer is told about the queue pair.
         *
         * @param hasFlowControl true if it has end-to-end credits
         * @param hasSrq true if it has a shared receive queue
         * @return this builder
         */
        public Builder receiveQueue(boolean hasFlowControl, boolean hasSrq) {
            flowControl = hasFlowControl;
            srq = hasSrq;
            return this;
        }

        /**
         * Makes a peer-to-peer request.
         *
         * @return this builder
         */
        public Builder peerToPeer() {
            peerToPeer = true;
            return this;
        }

        /**
         * Sets the options of the vendor.
         *
         * @param options of the vendor
         * @return this builder
         */
        public Builder ece(Ece options) {
            ece = options;
            return this;
        }

        /**
         * Sets the private data.
         *
         * @param data up to 92 bytes; must not change until the request is sent
         * @return this builder
         */
        public Builder privateData(MemorySegment data) {
            privateData = data;
            return this;
        }

        /** {@return the parameters} */
        public ReqParameters build() {
            return new ReqParameters(
                    path,
                    alternatePath,
                    serviceId,
                    qpType,
                    qpn,
                    startingPsn,
                    responderResources,
                    initiatorDepth,
                    retryCount,
                    rnrRetryCount,
                    remoteCmResponseTimeout,
                    localCmResponseTimeout,
                    maxCmRetries,
                    flowControl,
                    srq,
                    peerToPeer,
                    ece,
                    privateData);
        }
    }
}
