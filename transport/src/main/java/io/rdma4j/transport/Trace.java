package io.rdma4j.transport;

import io.rdma4j.verbs.QpState;

/**
 * What a queue pair does, for those who look for an error: events of the flight recorder, all of them off unless a recording
 * asks for them by name. Answers to the debug messages of rxe's state machines.
 *
 * <pre>jcmd PID JFR.start +rdma4j.QueuePairState#enabled=true +rdma4j.Ladder#enabled=true</pre>
 *
 * <p>Allocates nothing while they are off.
 */
final class Trace {
    /** Asked whether events of their kind are wanted; never committed themselves. */
    private final QueuePairStateEvent anyState = new QueuePairStateEvent();

    private final LadderEvent anyLadder = new LadderEvent();

    /** A queue pair changes its state. */
    void state(int qpn, QpState from, QpState to) {
        if (anyState.isEnabled()) {
            QueuePairStateEvent event = new QueuePairStateEvent();
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
            event.qpn = qpn;
            event.psn = psn;
            event.step = step.getDeclaringClass().getSimpleName() + "." + step.name();
            event.result = result.name();
            event.commit();
        }
    }
}
