// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The counters of a port, with the names and the order of {@code hw_counters} in Linux rxe. The counters of congestion
 * control and of wrong ICRCs follow, which rxe does not have, with the names of mlx5. The last one exists only here.
 * Sent packets are counted by the network device itself.
 */
public enum HwCounter {
    /** Packets sent, those to the port itself included. */
    SENT_PKTS("sent_pkts", port -> port.output().sentPackets()),
    RCVD_PKTS("rcvd_pkts", port -> port.transport().receivedPackets),
    DUPLICATE_REQUEST("duplicate_request", port -> port.transport().duplicateRequests),
    OUT_OF_SEQ_REQUEST("out_of_seq_request", port -> port.transport().outOfSequenceRequests),
    RCVD_RNR_ERR("rcvd_rnr_err", port -> port.transport().receivedRnrNaks),
    SEND_RNR_ERR("send_rnr_err", port -> port.transport().sentRnrNaks),
    RCVD_SEQ_ERR("rcvd_seq_err", port -> port.transport().receivedSequenceNaks),
    ACK_DEFERRED("ack_deferred", port -> port.transport().deferredAcks),
    RETRY_EXCEEDED_ERR("retry_exceeded_err", port -> port.transport().retryExceeded),
    RETRY_RNR_EXCEEDED_ERR("retry_rnr_exceeded_err", port -> port.transport().rnrRetryExceeded),
    COMPLETER_RETRY_ERR("completer_retry_err", port -> port.transport().retries),
    /** Packets that the link rejected or that were dropped, also because the link was down. */
    SEND_ERR("send_err", port -> port.output().sendErrors()),
    /** Number of times that the link went down. */
    LINK_DOWNED("link_downed", port -> port.states().linkDowned()),
    RDMA_SENDS("rdma_sends", port -> port.transport().sends),
    RDMA_RECVS("rdma_recvs", port -> port.transport().receives),
    NP_ECN_MARKED_ROCE_PACKETS("np_ecn_marked_roce_packets", port -> port.transport().ecnMarkedPackets),
    NP_CNP_SENT("np_cnp_sent", port -> port.transport().sentCnps),
    RP_CNP_HANDLED("rp_cnp_handled", port -> port.transport().handledCnps),
    RP_CNP_IGNORED("rp_cnp_ignored", port -> port.transport().ignoredCnps),
    /** Packets dropped because of a wrong ICRC. */
    RX_ICRC_ENCAPSULATED("rx_icrc_encapsulated", port -> port.input().badIcrc),
    /**
     * Packets accepted because their ICRC matches an IPv4 identification other than 0. The link hides that field; this
     * device sends 0.
     */
    RCVD_SOLVED_IP_ID("rcvd_solved_ip_id", port -> port.input().solvedIdentification);

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // a stateless function
    private final ToLongFunction<PortCounters> reader;

    HwCounter(String label, ToLongFunction<PortCounters> reader) {
        this.label = label;
        this.reader = reader;
    }

    /** Reads all counters; any thread. Values may be slightly old. */
    public static Map<String, Long> read(PortCounters port) {
        port.settle().run();
        Map<String, Long> values = new LinkedHashMap<>();
        for (HwCounter counter : values()) {
            values.put(counter.label, counter.reader.applyAsLong(port));
        }
        return Collections.unmodifiableMap(values);
    }
}
