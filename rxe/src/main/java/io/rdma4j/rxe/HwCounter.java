package io.rdma4j.rxe;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The counters of a port by the names that Linux's rxe gives them in {@code hw_counters}, in its order; behind them
 * those of congestion control and of wrong ICRCs, which it does not have, by the names of mlx5, and one that is ours alone.
 * What the link was given is counted by the link itself.
 */
enum HwCounter {
    /** Packets that left, those to the port itself included. */
    SENT_PKTS(
            "sent_pkts",
            port -> port.device().stats().txPackets() + port.loopback().sentPackets()),
    RCVD_PKTS("rcvd_pkts", port -> port.counters().receivedPackets),
    DUPLICATE_REQUEST("duplicate_request", port -> port.counters().duplicateRequests),
    OUT_OF_SEQ_REQUEST("out_of_seq_request", port -> port.counters().outOfSequenceRequests),
    RCVD_RNR_ERR("rcvd_rnr_err", port -> port.counters().receivedRnrNaks),
    SEND_RNR_ERR("send_rnr_err", port -> port.counters().sentRnrNaks),
    RCVD_SEQ_ERR("rcvd_seq_err", port -> port.counters().receivedSequenceNaks),
    ACK_DEFERRED("ack_deferred", port -> port.counters().deferredAcks),
    RETRY_EXCEEDED_ERR("retry_exceeded_err", port -> port.counters().retryExceeded),
    RETRY_RNR_EXCEEDED_ERR("retry_rnr_exceeded_err", port -> port.counters().rnrRetryExceeded),
    COMPLETER_RETRY_ERR("completer_retry_err", port -> port.counters().retries),
    /** Packets that the link refused, and buffers that it could not take because it was down. */
    SEND_ERR(
            "send_err",
            port -> port.device().stats().txErrors()
                    + port.device().stats().txDropped()
                    + port.loopback().lostPackets()),
    /** Times the link went down. */
    LINK_DOWNED("link_downed", port -> port.states().linkDowned()),
    RDMA_SENDS("rdma_sends", port -> port.counters().sends),
    RDMA_RECVS("rdma_recvs", port -> port.counters().receives),
    NP_ECN_MARKED_ROCE_PACKETS("np_ecn_marked_roce_packets", port -> port.counters().ecnMarkedPackets),
    NP_CNP_SENT("np_cnp_sent", port -> port.counters().sentCnps),
    RP_CNP_HANDLED("rp_cnp_handled", port -> port.counters().handledCnps),
    RP_CNP_IGNORED("rp_cnp_ignored", port -> port.counters().ignoredCnps),
    /** Packets dropped because their ICRC did not fit. */
    RX_ICRC_ENCAPSULATED("rx_icrc_encapsulated", port -> port.inputCounters().badIcrc),
    /** Packets whose ICRC fits with an IPv4 identification that the link hides, other than the 0 that we send. */
    RCVD_SOLVED_IP_ID("rcvd_solved_ip_id", port -> port.inputCounters().solvedIdentification);

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final ToLongFunction<RxePort> reader;

    HwCounter(String label, ToLongFunction<RxePort> reader) {
        this.label = label;
        this.reader = reader;
    }

    /** All of them as they are now, from any thread: each may be a little old. */
    static Map<String, Long> read(RxePort port) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (HwCounter counter : values()) {
            values.put(counter.label, counter.reader.applyAsLong(port));
        }
        return Collections.unmodifiableMap(values);
    }
}
