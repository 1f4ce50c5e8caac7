// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import static io.rdma4j.verbs.values.QpAttribute.*;
import static io.rdma4j.verbs.values.QpState.*;
import static io.rdma4j.verbs.values.QpType.*;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.QpAttribute;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Defines the attributes that a modify must and may set, for each state transition and each transport (IBA 11.2.5.2).
 * Corresponds to {@code ib_modify_qp_is_ok} and its table.
 *
 * <p>A modify is valid if required ⊆ mask ⊆ required ∪ optional ∪ {STATE}. {@link QpAttribute#CUR_STATE} is allowed
 * only in RTR, RTS, SQD and SQE. A transition exists for all transports or for none. A transport that is not listed for
 * a transition has neither required nor optional attributes there.
 */
public final class QpStateTable {
    private static final Set<QpState> STATES_WITH_CUR_STATE = EnumSet.of(RTR, RTS, SQD, SQE);

    private static final Set<QpType> CONNECTED = EnumSet.of(RC, UC, XRC_INI, XRC_TGT);
    private static final Set<QpType> DATAGRAM = EnumSet.of(UD, SMI, GSI);
    private static final Set<QpType> RAW = EnumSet.of(RAW_IPV6, RAW_ETHERTYPE, RAW_PACKET);
    private static final Set<QpType> ALL = EnumSet.allOf(QpType.class);

    /** From state, to state, transport; no entry if there is no transition. */
    private static final Map<QpState, Map<QpState, Map<QpType, Rule>>> ARROWS = new EnumMap<>(QpState.class);

    /**
     * The attributes of one transition for one transport.
     *
     * @param required attributes that the mask must contain
     * @param optional attributes that it may contain in addition
     */
    public record Rule(Set<QpAttribute> required, Set<QpAttribute> optional) {
        /** All attributes that a mask may contain. */
        public Set<QpAttribute> admitted() {
            Set<QpAttribute> both = plus(required);
            both.addAll(optional);
            return both;
        }
    }

    static {
        for (QpState from : QpState.values()) {
            arrow(from, RESET, ALL, none(), none());
            if (from != RESET) {
                arrow(from, ERR, ALL, none(), none());
            }
        }

        arrow(RESET, INIT, CONNECTED, of(PKEY_INDEX, PORT, ACCESS_FLAGS), none());
        arrow(RESET, INIT, of(UD), of(PKEY_INDEX, PORT, QKEY), none());
        arrow(RESET, INIT, of(SMI, GSI), of(PKEY_INDEX, QKEY), none());
        arrow(RESET, INIT, RAW, of(PORT), none());

        arrow(INIT, INIT, CONNECTED, none(), of(PKEY_INDEX, PORT, ACCESS_FLAGS));
        arrow(INIT, INIT, of(UD), none(), of(PKEY_INDEX, PORT, QKEY));
        arrow(INIT, INIT, of(SMI, GSI), none(), of(PKEY_INDEX, QKEY));

        Set<QpAttribute> path = of(AV, PATH_MTU, DEST_QPN, RQ_PSN);
        Set<QpAttribute> pathOptional = of(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX);
        arrow(INIT, RTR, of(RC, XRC_TGT), plus(path, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER), pathOptional);
        arrow(INIT, RTR, of(UC, XRC_INI), path, pathOptional);
        arrow(INIT, RTR, DATAGRAM, none(), of(PKEY_INDEX, QKEY));

        Set<QpAttribute> live = of(CUR_STATE, ALT_PATH, ACCESS_FLAGS, PATH_MIG_STATE);
        Set<QpAttribute> liveWithRnr = plus(live, MIN_RNR_TIMER);
        Set<QpAttribute> sending = of(TIMEOUT, RETRY_CNT, RNR_RETRY, SQ_PSN, MAX_QP_RD_ATOMIC);
        arrow(RTR, RTS, of(RC), sending, liveWithRnr);
        arrow(RTR, RTS, of(XRC_INI), sending, live);
        arrow(RTR, RTS, of(XRC_TGT), of(TIMEOUT, SQ_PSN), liveWithRnr);
        arrow(RTR, RTS, of(UC), of(SQ_PSN), live);
        arrow(RTR, RTS, DATAGRAM, of(SQ_PSN), of(CUR_STATE, QKEY));
        arrow(RTR, RTS, RAW, none(), of(RATE_LIMIT));

        arrow(RTS, RTS, of(RC, XRC_TGT), none(), liveWithRnr);
        arrow(RTS, RTS, of(UC, XRC_INI), none(), live);
        arrow(RTS, RTS, DATAGRAM, none(), of(CUR_STATE, QKEY));
        arrow(RTS, RTS, RAW, none(), of(RATE_LIMIT));

        arrow(RTS, SQD, CONNECTED, none(), of(EN_SQD_ASYNC_NOTIFY));
        arrow(RTS, SQD, DATAGRAM, none(), of(EN_SQD_ASYNC_NOTIFY));

        arrow(SQD, RTS, of(RC, XRC_TGT), none(), liveWithRnr);
        arrow(SQD, RTS, of(UC, XRC_INI), none(), live);
        arrow(SQD, RTS, DATAGRAM, none(), of(CUR_STATE, QKEY));

        Set<QpAttribute> drainedUc = of(AV, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, PATH_MIG_STATE);
        Set<QpAttribute> drainedTarget = plus(drainedUc, PORT, TIMEOUT, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER);
        Set<QpAttribute> drainedInitiator = plus(drainedUc, PORT, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC);
        arrow(SQD, SQD, of(RC), none(), plus(drainedInitiator, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER));
        arrow(SQD, SQD, of(XRC_INI), none(), drainedInitiator);
        arrow(SQD, SQD, of(XRC_TGT), none(), drainedTarget);
        arrow(SQD, SQD, of(UC), none(), drainedUc);
        arrow(SQD, SQD, DATAGRAM, none(), of(PKEY_INDEX, QKEY));

        arrow(SQE, RTS, of(UC), none(), of(CUR_STATE, ACCESS_FLAGS));
        arrow(SQE, RTS, DATAGRAM, none(), of(CUR_STATE, QKEY));
    }

    private QpStateTable() {}

    /**
     * Checks a modify against the table.
     *
     * @param type of the queue pair
     * @param from the present or assumed state of the queue pair
     * @param to the next state; {@code from} if the mask has no STATE
     * @param mask attributes of the modify
     * @throws RdmaException EINVAL; the message contains the missing or the superfluous attributes
     */
    public static void check(QpType type, QpState from, QpState to, Set<QpAttribute> mask) {
        String arrow = type + " " + from + "→" + to;
        if (mask.contains(CUR_STATE) && !STATES_WITH_CUR_STATE.contains(from)) {
            throw new RdmaException(Errno.EINVAL, arrow + ": CUR_STATE may be given only in " + STATES_WITH_CUR_STATE);
        }
        Rule rule = rule(type, from, to);
        if (rule == null) {
            throw new RdmaException(
                    Errno.EINVAL, arrow + " is no transition; from " + from + " one can go to " + successors(from));
        }
        Set<QpAttribute> missing = plus(rule.required);
        missing.removeAll(mask);
        Set<QpAttribute> forbidden = none();
        forbidden.addAll(mask);
        forbidden.removeAll(rule.admitted());
        forbidden.remove(STATE);
        if (!missing.isEmpty() || !forbidden.isEmpty()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    arrow
                            + (missing.isEmpty() ? "" : ": missing " + missing)
                            + (forbidden.isEmpty() ? "" : ": not allowed here " + forbidden));
        }
    }

    /** The rule of a transition for a transport; null if there is no such transition. */
    public static @Nullable Rule rule(QpType type, QpState from, QpState to) {
        Map<QpType, Rule> rules = ARROWS.getOrDefault(from, Map.of()).get(to);
        return rules == null ? null : rules.getOrDefault(type, new Rule(none(), none()));
    }

    private static Set<QpState> successors(QpState from) {
        return ARROWS.getOrDefault(from, Map.of()).keySet();
    }

    private static void arrow(
            QpState from, QpState to, Set<QpType> types, Set<QpAttribute> required, Set<QpAttribute> optional) {
        Map<QpType, Rule> rules = ARROWS.computeIfAbsent(from, _ -> new EnumMap<>(QpState.class))
                .computeIfAbsent(to, _ -> new EnumMap<>(QpType.class));
        types.forEach(type -> rules.put(type, new Rule(required, optional)));
    }

    private static Set<QpAttribute> none() {
        return EnumSet.noneOf(QpAttribute.class);
    }

    private static Set<QpType> of(QpType first, QpType... rest) {
        return EnumSet.of(first, rest);
    }

    private static Set<QpAttribute> of(QpAttribute first, QpAttribute... rest) {
        return EnumSet.of(first, rest);
    }

    private static Set<QpAttribute> plus(Set<QpAttribute> base, QpAttribute... more) {
        Set<QpAttribute> sum = EnumSet.copyOf(base);
        sum.addAll(Set.of(more));
        return sum;
    }
}
