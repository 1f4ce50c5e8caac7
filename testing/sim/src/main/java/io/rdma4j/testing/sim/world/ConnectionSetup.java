// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Mtu;
import io.rdma4j.verbs.values.AccessFlag;
import java.util.Set;

/**
 * Attributes of a connection.
 *
 * @param pathMtu payload of a full packet
 * @param timeout ACK timeout code: 4.096 µs · 2^n
 * @param retryCount retries without a response
 * @param rnrRetry retries while the peer has no receive posted; 7: unlimited
 * @param minRnrTimer RNR timer code for the peer
 * @param sqPsn first PSN of its own requests
 * @param rqPsn first PSN of the peer's requests
 * @param rdAtomic maximum number of outstanding READs and atomics
 * @param servedRdAtomic maximum number of the peer's READs and atomics that it serves
 * @param remoteRights rights of the peer
 */
public record ConnectionSetup(
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
    /** For SENDs and WRITEs only. */
    public ConnectionSetup(
            Mtu pathMtu, int timeout, int retryCount, int rnrRetry, int minRnrTimer, int sqPsn, int rqPsn) {
        this(pathMtu, timeout, retryCount, rnrRetry, minRnrTimer, sqPsn, rqPsn, 1, 1, Set.of());
    }

    /** Returns a copy with other PSNs. */
    public ConnectionSetup withPsns(int sq, int rq) {
        return new ConnectionSetup(
                pathMtu, timeout, retryCount, rnrRetry, minRnrTimer, sq, rq, rdAtomic, servedRdAtomic, remoteRights);
    }

    /** Returns the attributes of the peer's side. */
    public ConnectionSetup reversed() {
        return withPsns(rqPsn, sqPsn);
    }
}
