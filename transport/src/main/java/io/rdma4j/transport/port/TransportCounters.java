// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.port;

/**
 * Transport counters of a device; names of Linux's hardware counters in comments.
 *
 * <p>Written by the port loop only; other threads may read slightly stale values.
 */
public final class TransportCounters {
    /** Packets passed to the network, including retransmissions, whether it accepts them or not. */
    public long sentPackets;
    /** {@code rcvd_pkts}: packets that passed all checks. */
    public long receivedPackets;
    /** Payload of sent packets, bytes. */
    public long sentBytes;
    /** Payload of received packets, bytes. */
    public long receivedBytes;
    /** {@code duplicate_request}: request packets received before. */
    public long duplicateRequests;
    /** {@code out_of_seq_request}: request packets ahead of the expected one. */
    public long outOfSequenceRequests;
    /** Packets of those that were held until the missing packets arrived. */
    public long heldRequests;
    /** {@code rcvd_rnr_err}: RNR NAKs received. */
    public long receivedRnrNaks;
    /** {@code send_rnr_err}: RNR NAKs sent. */
    public long sentRnrNaks;
    /** {@code rcvd_seq_err}: sequence NAKs received. */
    public long receivedSequenceNaks;
    /** {@code ack_deferred}: requests whose acknowledgement was carried by that of a later one. */
    public long deferredAcks;
    /** {@code retry_exceeded_err}: requests given up after the last retry. */
    public long retryExceeded;
    /** {@code retry_rnr_exceeded_err}: requests given up after the last RNR retry. */
    public long rnrRetryExceeded;
    /** {@code completer_retry_err}: times the requester went back to the oldest unacknowledged packet. */
    public long retries;
    /** Packets sent again. */
    public long retransmittedPackets;
    /** {@code rdma_sends}: send requests completed. */
    public long sends;
    /** {@code rdma_recvs}: receive requests completed. */
    public long receives;
    /** Datagrams dropped for a wrong Q_Key: {@code qkey_viol_cntr} of the port. */
    public long qkeyViolations;
    /** {@code np_ecn_marked_roce_packets}: packets received that had met congestion. */
    public long ecnMarkedPackets;
    /** {@code np_cnp_sent}: congestion notifications sent. */
    public long sentCnps;
    /** {@code rp_cnp_handled}: congestion notifications received that lowered a rate. */
    public long handledCnps;
    /** {@code rp_cnp_ignored}: congestion notifications received without congestion control. */
    public long ignoredCnps;
    /** Packets dropped by the engine: wrong state, wrong service, or a response without a request. */
    public long droppedPackets;

    /** Creates counters that are all 0. */
    public TransportCounters() {}
}
