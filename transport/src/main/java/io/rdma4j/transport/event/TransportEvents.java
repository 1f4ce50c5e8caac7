// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.event;

import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.wr.WcStatus;
import io.rdma4j.verbs.wr.WrOpcode;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;

/**
 * Flight recorder events of the queue pairs of a device. Corresponds to the debug messages of rxe's state machines and
 * to {@code rdma_tracepoint}.
 *
 * <p>Retransmissions, RNR NAKs, exceeded retries, errors in completions and dropped packets are in every recording; the
 * others are so frequent that a recording must enable them by name:
 *
 * <pre>
 * jcmd PID JFR.start +rdma4j.SendRequest#enabled=true +rdma4j.QueuePairState#enabled=true +rdma4j.Ladder#enabled=true
 * </pre>
 *
 * <p>Without a recording an event costs one check and no allocation. Called by the loop thread.
 */
public final class TransportEvents {
    /** True once the JVM has a flight recorder, with or without a recording. */
    private static volatile boolean hasRecorder;

    static {
        FlightRecorder.addListener(new FlightRecorderListener() {
            @Override
            public void recorderInitialized(FlightRecorder recorder) {
                begin();
            }
        });
        if (FlightRecorder.isInitialized()) {
            begin();
        }
    }

    private final String netdev;

    /** Registers all kinds, so that tools list them, also those of which there is no event yet. */
    private static void begin() {
        Kinds.register();
        hasRecorder = true;
    }

    /** @param netdev name of the interface, which distinguishes the queue pairs of several devices */
    public TransportEvents(String netdev) {
        this.netdev = netdev;
    }

    /** Records that a send request is started. */
    public void request(int qpn, WrOpcode opcode, long length) {
        if (hasRecorder && Kinds.SEND_REQUEST.isEnabled()) {
            SendRequestEvent event = new SendRequestEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.opcode = opcode.text();
            event.length = length;
            event.commit();
        }
    }

    /** Records that a queue pair changes its state. */
    public void state(int qpn, QpState from, QpState to) {
        if (hasRecorder && Kinds.QUEUE_PAIR_STATE.isEnabled()) {
            QueuePairStateEvent event = new QueuePairStateEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.from = from.name();
            event.to = to.name();
            event.commit();
        }
    }

    /** Records that the ladder of a packet ends before its last step. */
    public void end(int qpn, int psn, Enum<?> step, Enum<?> result) {
        if (hasRecorder && Kinds.LADDER.isEnabled()) {
            LadderEvent event = new LadderEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.step = step.getDeclaringClass().getSimpleName() + "." + step.name();
            event.result = result.name();
            event.commit();
        }
    }

    /** Records that a requester sends the packets from {@code psn} on again. */
    public void retransmission(int qpn, int psn, String cause) {
        if (hasRecorder && Kinds.RETRANSMISSION.isEnabled()) {
            RetransmissionEvent event = new RetransmissionEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.cause = cause;
            event.commit();
        }
    }

    /** Records that a responder sends an RNR NAK, or a requester receives one. */
    public void rnrNak(int qpn, int psn, boolean sent, long delayNs) {
        if (hasRecorder && Kinds.RNR_NAK.isEnabled()) {
            RnrNakEvent event = new RnrNakEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.direction = sent ? "sent" : "received";
            event.delayNs = delayNs;
            event.commit();
        }
    }

    /** Records that a requester exhausts its retries. */
    public void retryExceeded(int qpn, int psn, String cause) {
        if (hasRecorder && Kinds.RETRY_EXCEEDED.isEnabled()) {
            RetryExceededEvent event = new RetryExceededEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.cause = cause;
            event.commit();
        }
    }

    /** Records that a work request completes with an error. */
    public void completionError(int qpn, long wrId, WcStatus status, int vendorError) {
        if (hasRecorder && Kinds.COMPLETION_ERROR.isEnabled()) {
            CompletionErrorEvent event = new CompletionErrorEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.wrId = wrId;
            event.status = status.name();
            event.vendorError = vendorError;
            event.commit();
        }
    }

    /**
     * Records that a received packet is dropped.
     *
     * @param qpn 24 bits, from the packet; 0 if it is malformed
     * @param psn 24 bits, from the packet; 0 if it is malformed
     * @param opcode 8 bits, from the packet; 0 if it is malformed
     * @param reason name of the check that failed
     */
    public void drop(int qpn, int psn, int opcode, String reason) {
        if (hasRecorder && Kinds.PACKET_DROP.isEnabled()) {
            PacketDropEvent event = new PacketDropEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.opcode = opcode;
            event.reason = reason;
            event.commit();
        }
    }

    /**
     * One event of each kind, to ask whether its kind is enabled; none is committed. The JVM takes tens of milliseconds
     * to register the kinds, so the class is loaded only if there is a flight recorder.
     */
    private static final class Kinds {
        static final SendRequestEvent SEND_REQUEST = new SendRequestEvent();
        static final QueuePairStateEvent QUEUE_PAIR_STATE = new QueuePairStateEvent();
        static final LadderEvent LADDER = new LadderEvent();
        static final RetransmissionEvent RETRANSMISSION = new RetransmissionEvent();
        static final RnrNakEvent RNR_NAK = new RnrNakEvent();
        static final RetryExceededEvent RETRY_EXCEEDED = new RetryExceededEvent();
        static final CompletionErrorEvent COMPLETION_ERROR = new CompletionErrorEvent();
        static final PacketDropEvent PACKET_DROP = new PacketDropEvent();

        static void register() {
            for (Event kind : List.of(
                    SEND_REQUEST,
                    QUEUE_PAIR_STATE,
                    LADDER,
                    RETRANSMISSION,
                    RNR_NAK,
                    RETRY_EXCEEDED,
                    COMPLETION_ERROR,
                    PACKET_DROP)) {
                FlightRecorder.register(kind.getClass());
            }
        }
    }
}
