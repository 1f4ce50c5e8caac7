package io.rdma4j.transport;

import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.WrOpcode;

/**
 * Events of the flight recorder about the queue pairs of a device. Answers to the debug messages of rxe's state machines and to {@code
 * rdma_tracepoint}.
 *
 * <p>Retransmissions, RNR NAKs, exceeded retries, errors in completions and dropped packets are in every recording; the others are so frequent that a
 * recording must enable them by name:
 *
 * <pre>jcmd PID JFR.start +rdma4j.SendRequest#enabled=true +rdma4j.QueuePairState#enabled=true +rdma4j.Ladder#enabled=true</pre>
 *
 * <p>Without a recording an event costs one check and no allocation. Called by the loop thread.
 */
public final class Trace {
    private final String netdev;

    // Asked whether events of their kind are wanted; never committed themselves.
    private final SendRequestEvent anyRequest = new SendRequestEvent();
    private final QueuePairStateEvent anyState = new QueuePairStateEvent();
    private final LadderEvent anyLadder = new LadderEvent();
    private final RetransmissionEvent anyRetransmission = new RetransmissionEvent();
    private final RnrNakEvent anyRnrNak = new RnrNakEvent();
    private final RetryExceededEvent anyRetryExceeded = new RetryExceededEvent();
    private final CompletionErrorEvent anyCompletionError = new CompletionErrorEvent();
    private final PacketDropEvent anyDrop = new PacketDropEvent();

    /** @param netdev name of the interface, which tells the queue pairs of several devices apart */
    Trace(String netdev) {
        this.netdev = netdev;
    }

    /** A send request is begun. */
    void request(int qpn, WrOpcode opcode, long length) {
        if (anyRequest.isEnabled()) {
            SendRequestEvent event = new SendRequestEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.opcode = opcode.text();
            event.length = length;
            event.commit();
        }
    }

    /** A queue pair changes its state. */
    void state(int qpn, QpState from, QpState to) {
        if (anyState.isEnabled()) {
            QueuePairStateEvent event = new QueuePairStateEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.from = from.name();
            event.to = to.name();
            event.commit();
        }
    }

    /** The ladder of a packet ends before its last step. */
    void end(int qpn, int psn, Enum<?> step, Enum<?> result) {
        if (anyLadder.isEnabled()) {
            LadderEvent event = new LadderEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.step = step.getDeclaringClass().getSimpleName() + "." + step.name();
            event.result = result.name();
            event.commit();
        }
    }

    /** A requester sends the packets from {@code psn} on again. */
    void retransmission(int qpn, int psn, String cause) {
        if (anyRetransmission.isEnabled()) {
            RetransmissionEvent event = new RetransmissionEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.cause = cause;
            event.commit();
        }
    }

    /** A responder has asked for time, or a requester has been asked. */
    void rnrNak(int qpn, int psn, boolean sent, long delayNs) {
        if (anyRnrNak.isEnabled()) {
            RnrNakEvent event = new RnrNakEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.direction = sent ? "sent" : "received";
            event.delayNs = delayNs;
            event.commit();
        }
    }

    /** A requester gives up. */
    void retryExceeded(int qpn, int psn, String cause) {
        if (anyRetryExceeded.isEnabled()) {
            RetryExceededEvent event = new RetryExceededEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.cause = cause;
            event.commit();
        }
    }

    /** A work request completes with an error. */
    void completionError(int qpn, long wrId, WcStatus status, int vendorError) {
        if (anyCompletionError.isEnabled()) {
            CompletionErrorEvent event = new CompletionErrorEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.wrId = wrId;
            event.status = status.name();
            event.vendorError = vendorError;
            event.commit();
        }
    }

    /** A queue pair drops a packet. */
    void drop(int qpn, PacketContext packet, String reason) {
        drop(qpn, packet.psn, packet.opcode.code(), reason);
    }

    /**
     * A packet that has arrived is dropped.
     *
     * @param qpn 24 bits, as the packet says; 0 if it is malformed
     * @param psn 24 bits, as the packet says; 0 if it is malformed
     * @param opcode 8 bits, as the packet says; 0 if it is malformed
     * @param reason name of the check that failed
     */
    public void drop(int qpn, int psn, int opcode, String reason) {
        if (anyDrop.isEnabled()) {
            PacketDropEvent event = new PacketDropEvent();
            event.netdev = netdev;
            event.qpn = qpn;
            event.psn = psn;
            event.opcode = opcode;
            event.reason = reason;
            event.commit();
        }
    }
}
