package io.rdma4j.testing.sim;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.AccessFlag;
import java.util.Set;

/**
 * How a queue pair is connected.
 *
 * @param pathMtu payload of a full packet
 * @param timeout ACK timeout code: 4.096 µs · 2^n
 * @param retryCount retries without an answer
 * @param rnrRetry retries while the peer has no receive posted, 7 for ever
 * @param minRnrTimer RNR timer code that the peer is told
 * @param sqPsn first PSN of its own requests
 * @param rqPsn first PSN of the peer's requests
 * @param rdAtomic READs and atomics that it has under way at once
 * @param servedRdAtomic the same of the peer that it serves
 * @param remoteRights what the peer may do
 */
record Connection(
        Mtu pathMtu,
        int timeout,
        int retryCount,
        int rnrRetry,
        int minRnrTimer,
        int sqPsn,
        int rqPsn,
        int rdAtomic,
        int servedRdAtomic,
        Set<AccessFlag> remoteRights) {
    /** For messages only. */
    Connection(Mtu pathMtu, int timeout, int retryCount, int rnrRetry, int minRnrTimer, int sqPsn, int rqPsn) {
        this(pathMtu, timeout, retryCount, rnrRetry, minRnrTimer, sqPsn, rqPsn, 1, 1, Set.of());
    }

    /** The same from other PSNs on. */
    Connection withPsns(int sq, int rq) {
        return new Connection(
                pathMtu, timeout, retryCount, rnrRetry, minRnrTimer, sq, rq, rdAtomic, servedRdAtomic, remoteRights);
    }

    /** As the peer sees it. */
    Connection reversed() {
        return withPsns(rqPsn, sqPsn);
    }
}
