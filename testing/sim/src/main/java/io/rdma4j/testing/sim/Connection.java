package io.rdma4j.testing.sim;

import io.rdma4j.base.Mtu;

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
 */
record Connection(Mtu pathMtu, int timeout, int retryCount, int rnrRetry, int minRnrTimer, int sqPsn, int rqPsn) {}
