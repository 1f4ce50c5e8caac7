// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import static io.rdma4j.cm.CmState.*;
import static io.rdma4j.cm.CmTrigger.*;
import static io.rdma4j.cm.LapState.*;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All transitions of a {@link CmId} (IBA 12.9.7): state and trigger give the next state and the action. A second table
 * has the states of the alternate path, which exist within {@link CmState#ESTABLISHED}.
 *
 * <p>A call without transition throws EINVAL. A message without transition is dropped.
 */
public final class CmStateTable {
    private static final CmState[] ACTIVE_WAITING = {REQ_SENT, MRA_REQ_RCVD};
    private static final CmState[] PASSIVE_WAITING = {REP_SENT, MRA_REP_RCVD};
    private static final CmState[] REQUEST_OPEN = {REQ_RCVD, MRA_REQ_SENT};
    private static final CmState[] REPLY_OPEN = {REP_RCVD, MRA_REP_SENT};
    private static final CmState[] OVER = {DREQ_SENT, DREQ_RCVD, TIMEWAIT};

    private static final Map<CmTrigger, Map<CmState, Step>> STEPS = new EnumMap<>(CmTrigger.class);
    private static final Map<CmTrigger, Map<LapState, LapStep>> LAP_STEPS = new EnumMap<>(CmTrigger.class);

    /**
     * A transition.
     *
     * @param next the next state
     * @param action what the id does
     */
    public record Step(CmState next, CmAction action) {}

    /**
     * A transition of the alternate path.
     *
     * @param next the next state
     * @param action what the id does
     */
    public record LapStep(LapState next, CmAction action) {}

    static {
        calls();
        destroy();
        messages();
        timers();
        alternatePath();
    }

    private CmStateTable() {}

    private static void calls() {
        step(CmTrigger.LISTEN, CmState.LISTEN, IDLE);
        step(SEND_REQ, REQ_SENT, IDLE);
        step(SEND_REP, REP_SENT, REQUEST_OPEN);
        step(SEND_RTU, ESTABLISHED, REPLY_OPEN);
        step(SEND_MRA, MRA_REQ_SENT, REQ_RCVD);
        step(SEND_MRA, MRA_REP_SENT, REP_RCVD);
        step(SEND_REJ, IDLE, ACTIVE_WAITING);
        step(SEND_REJ, IDLE, REQUEST_OPEN);
        step(SEND_REJ, IDLE, REPLY_OPEN);
        step(SEND_REJ, TIMEWAIT, PASSIVE_WAITING);
        step(SEND_DREQ, DREQ_SENT, ESTABLISHED);
        step(SEND_DREP, TIMEWAIT, DREQ_RCVD);
        step(SEND_SIDR_REQ, SIDR_REQ_SENT, IDLE);
        step(SEND_SIDR_REP, IDLE, SIDR_REQ_RCVD);
        step(COMM_EST, ESTABLISHED, PASSIVE_WAITING);
    }

    private static void destroy() {
        step(DESTROY, CmAction.NOTHING, IDLE, IDLE, CmState.LISTEN, SIDR_REQ_SENT);
        step(DESTROY, CmAction.REJECT_TIMEOUT, IDLE, ACTIVE_WAITING);
        step(DESTROY, CmAction.REJECT_CONSUMER, IDLE, REQUEST_OPEN);
        step(DESTROY, CmAction.REJECT_CONSUMER, IDLE, REPLY_OPEN);
        step(DESTROY, CmAction.REJECT_CONSUMER, TIMEWAIT, PASSIVE_WAITING);
        step(DESTROY, CmAction.DISCONNECT, TIMEWAIT, ESTABLISHED);
        step(DESTROY, CmAction.NOTHING, TIMEWAIT, DREQ_SENT, TIMEWAIT);
        step(DESTROY, CmAction.ANSWER_DREQ, TIMEWAIT, DREQ_RCVD);
        step(DESTROY, CmAction.REJECT_SIDR, IDLE, SIDR_REQ_RCVD);
    }

    private static void messages() {
        step(REQ, REQ_RCVD, IDLE);
        step(PEER_REQ, REQ_RCVD, ACTIVE_WAITING);
        stay(REPEATED_REQ, CmAction.COUNT_DUPLICATE, REQ_RCVD, REP_SENT, MRA_REP_RCVD, ESTABLISHED);
        stay(REPEATED_REQ, CmAction.COUNT_DUPLICATE, DREQ_SENT, DREQ_RCVD);
        stay(REPEATED_REQ, CmAction.REPEAT_ANSWER, MRA_REQ_SENT);
        stay(REPEATED_REQ, CmAction.REJECT_STALE, TIMEWAIT);

        step(MRA_OF_REQ, MRA_REQ_RCVD, REQ_SENT);
        stay(MRA_OF_REQ, CmAction.COUNT_DUPLICATE, MRA_REQ_RCVD);
        step(MRA_OF_REP, MRA_REP_RCVD, REP_SENT);
        stay(MRA_OF_REP, CmAction.COUNT_DUPLICATE, MRA_REP_RCVD);

        step(CmTrigger.REP, REP_RCVD, ACTIVE_WAITING);
        stay(CmTrigger.REP, CmAction.COUNT_DUPLICATE, REP_RCVD);
        stay(CmTrigger.REP, CmAction.REPEAT_ANSWER, MRA_REP_SENT, ESTABLISHED);
        stay(CmTrigger.REP, CmAction.COUNT_DUPLICATE, OVER);

        step(RTU, ESTABLISHED, PASSIVE_WAITING);
        stay(RTU, CmAction.COUNT_DUPLICATE, ESTABLISHED);
        stay(RTU, CmAction.COUNT_DUPLICATE, OVER);

        for (CmState[] open : new CmState[][] {ACTIVE_WAITING, PASSIVE_WAITING, REQUEST_OPEN}) {
            step(REJ, IDLE, open);
            step(REJ_STALE, TIMEWAIT, open);
        }
        for (CmTrigger rejection : new CmTrigger[] {REJ, REJ_STALE}) {
            step(rejection, TIMEWAIT, REPLY_OPEN);
            step(rejection, TIMEWAIT, ESTABLISHED, DREQ_SENT);
        }

        step(DREQ, DREQ_RCVD, PASSIVE_WAITING);
        step(DREQ, DREQ_RCVD, ESTABLISHED, DREQ_SENT);
        stay(DREQ, CmAction.COUNT_DUPLICATE, DREQ_RCVD);
        stay(DREQ, CmAction.REPEAT_ANSWER, TIMEWAIT);
        step(DREP, TIMEWAIT, DREQ_SENT, DREQ_RCVD);

        step(SIDR_REQ, SIDR_REQ_RCVD, IDLE);
        step(SIDR_REP, IDLE, SIDR_REQ_SENT);
    }

    private static void timers() {
        step(NO_RESPONSE, IDLE, ACTIVE_WAITING);
        step(NO_RESPONSE, IDLE, PASSIVE_WAITING);
        step(NO_RESPONSE, TIMEWAIT, DREQ_SENT);
        step(NO_RESPONSE, IDLE, SIDR_REQ_SENT);
        step(TIMEWAIT_OVER, IDLE, TIMEWAIT);
    }

    private static void alternatePath() {
        lap(PATH_MIG, CmAction.PROCEED, LAP_IDLE, LAP_UNINIT, LAP_IDLE);
        lap(SEND_LAP, CmAction.PROCEED, LAP_SENT, LAP_UNINIT, LAP_IDLE);
        lap(SEND_MRA, CmAction.PROCEED, MRA_LAP_SENT, LAP_RCVD);
        lap(SEND_APR, CmAction.PROCEED, LAP_IDLE, LAP_RCVD, MRA_LAP_SENT);
        lap(LAP, CmAction.PROCEED, LAP_RCVD, LAP_UNINIT, LAP_IDLE);
        lap(REPEATED_LAP, CmAction.COUNT_DUPLICATE, LAP_RCVD, LAP_RCVD);
        lap(REPEATED_LAP, CmAction.REPEAT_ANSWER, MRA_LAP_SENT, MRA_LAP_SENT);
        lap(REPEATED_LAP, CmAction.REPEAT_ANSWER, LAP_IDLE, LAP_IDLE);
        lap(MRA_OF_LAP, CmAction.PROCEED, MRA_LAP_RCVD, LAP_SENT);
        lap(MRA_OF_LAP, CmAction.COUNT_DUPLICATE, MRA_LAP_RCVD, MRA_LAP_RCVD);
        lap(APR, CmAction.PROCEED, LAP_IDLE, LAP_SENT, MRA_LAP_RCVD);
        lap(NO_RESPONSE, CmAction.PROCEED, LAP_IDLE, LAP_SENT, MRA_LAP_RCVD);
    }

    /**
     * {@return the transition, or null if there is none}
     *
     * @param state of the id
     * @param trigger call, message or timer
     */
    public static @Nullable Step step(CmState state, CmTrigger trigger) {
        return STEPS.getOrDefault(trigger, Map.of()).get(state);
    }

    /**
     * {@return the transition of the alternate path of an established connection, or null if there is none}
     *
     * @param state of the alternate path
     * @param trigger call, message or timer
     */
    public static @Nullable LapStep lapStep(LapState state, CmTrigger trigger) {
        return LAP_STEPS.getOrDefault(trigger, Map.of()).get(state);
    }

    /**
     * {@return the transition of a call}
     *
     * @param state of the id
     * @param call the call
     * @throws RdmaException EINVAL if the state allows no such call; the message has the state
     */
    static Step call(CmState state, CmTrigger call) {
        Step step = step(state, call);
        if (step == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    call + " in state " + state + "; allowed in " + states(STEPS.getOrDefault(call, Map.of())));
        }
        return step;
    }

    /**
     * {@return the transition of a call that concerns the alternate path}
     *
     * @param state of the id
     * @param lapState of its alternate path
     * @param call the call
     * @throws RdmaException EINVAL if the states allow no such call; the message has the states
     */
    static LapStep lapCall(CmState state, LapState lapState, CmTrigger call) {
        LapStep step = state == ESTABLISHED ? lapStep(lapState, call) : null;
        if (step == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    call + " in state " + state + ", " + lapState + "; allowed in ESTABLISHED, "
                            + states(LAP_STEPS.getOrDefault(call, Map.of())));
        }
        return step;
    }

    private static <S> Set<S> states(Map<S, ?> steps) {
        return Collections.unmodifiableSet(steps.keySet());
    }

    private static void step(CmTrigger trigger, CmState next, CmState... from) {
        step(trigger, CmAction.PROCEED, next, from);
    }

    private static void step(CmTrigger trigger, CmAction action, CmState next, CmState... from) {
        Map<CmState, Step> steps = STEPS.computeIfAbsent(trigger, _ -> new EnumMap<>(CmState.class));
        for (CmState state : from) {
            steps.put(state, new Step(next, action));
        }
    }

    private static void stay(CmTrigger trigger, CmAction action, CmState... states) {
        for (CmState state : states) {
            step(trigger, action, state, state);
        }
    }

    private static void lap(CmTrigger trigger, CmAction action, LapState next, LapState... from) {
        Map<LapState, LapStep> steps = LAP_STEPS.computeIfAbsent(trigger, _ -> new EnumMap<>(LapState.class));
        for (LapState state : from) {
            steps.put(state, new LapStep(next, action));
        }
    }
}
