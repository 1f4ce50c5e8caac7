package io.rdma4j.transport;

import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.WrOpcode;

/**
 * What queue pairs do, for those who look for an error: events of the flight recorder, all of them off unless a recording asks
 * for them by name. Answers to the debug messages of rxe's state machines and to {@code rdma_tracepoint}.
 *
 * <pre>jcmd PID JFR.start +rdma4j.SendRequest#enabled=true +rdma4j.QueuePairState#enabled=true +rdma4j.Ladder#enabled=true</pre>
 *
 * <p>Allocates nothing while they are off.
 */
final class Trace {
    private final String netdev;

    // Asked whether events of their kind are wanted; never committed themselves.
    private final SendRequestEvent anyRequest = new SendRequestEvent();
    private final QueuePairStateEvent anyState = new QueuePairStateEvent();
    private final LadderEvent anyLadder = new LadderEvent();

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
}
