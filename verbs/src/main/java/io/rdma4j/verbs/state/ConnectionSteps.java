// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.verbs.state;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.values.AccessFlag;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Computes the modifications of {@link io.rdma4j.verbs.QueuePair#connect}: the transitions to RTS, each with the
 * attributes that it requires or allows.
 */
public final class ConnectionSteps {
    /** The access rights that librdmacm sets. The rights of the memory regions limit what peers can access. */
    private static final Set<AccessFlag> PEER_RIGHTS =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    /** Both ends must use the same value without negotiation; every Ethernet supports it. */
    private static final Mtu PATH_MTU = Mtu.MTU_1024;

    /** Both ends must use the same value; practically every device supports 4. */
    private static final int READS_UNDER_WAY = 4;

    /**
     * 268 ms. With 7 retries of increasing duration the connection fails after 7 s without a response. Processes that
     * pause for some seconds (garbage collection, debugger, live migration) keep their connections. The value in
     * rdma-core's examples is 14, which gives 1.8 s; there the peer is an adapter, which responds while its process is
     * paused.
     */
    private static final int TIMEOUT_268_MS = 16;

    private static final int RNR_DELAY_640_US = 12;
    private static final int RETRIES = 7;
    private static final int RNR_RETRY_FOR_EVER = 7;

    private static final QpAttributes DEFAULTS = QpAttributes.builder()
            .pkeyIndex(0)
            .accessFlags(PEER_RIGHTS)
            .pathMtu(PATH_MTU)
            .maxDestRdAtomic(READS_UNDER_WAY)
            .minRnrTimer(RNR_DELAY_640_US)
            .timeout(TIMEOUT_268_MS)
            .retryCount(RETRIES)
            .rnrRetry(RNR_RETRY_FOR_EVER)
            .maxRdAtomic(READS_UNDER_WAY)
            .build();

    private ConnectionSteps() {}

    /**
     * The modifications, in order.
     *
     * @param qp name of the queue pair in messages
     * @param state its present state
     * @param addresses path, port, peer and PSNs
     * @param changes attributes that replace the default values
     * @throws RdmaException EINVAL if the queue pair cannot be connected from its state, or no transition allows one of
     *     the changes
     */
    public static List<QpAttributes> of(
            String qp, QpType type, QpState state, QpAttributes addresses, QpAttributes changes) {
        QpAttributes usual = addresses.with(DEFAULTS);
        QpAttributes left = changes.relevant(type);
        List<QpAttributes> steps = new ArrayList<>();
        QpState from = state;
        for (QpState next : way(qp, type, state)) {
            QpStateTable.Rule rule = Objects.requireNonNull(QpStateTable.rule(type, from, next));
            QpAttributes asked = usual.only(rule.required()).with(left.only(rule.admitted()));
            steps.add(asked.toBuilder().state(next).build());
            left = left.without(rule.admitted());
            from = next;
        }
        if (!left.mask().isEmpty()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    left.mask() + " cannot be set while " + qp + ", " + type + " in " + state + ", is connected");
        }
        return steps;
    }

    private static List<QpState> way(String qp, QpType type, QpState state) {
        if (!type.isConnected()) {
            throw new RdmaException(Errno.EINVAL, qp + " is of type " + type + ", which has no peer to connect with");
        }
        return switch (state) {
            case RESET -> List.of(QpState.INIT, QpState.RTR, QpState.RTS);
            case INIT -> List.of(QpState.RTR, QpState.RTS); // set by the application, to post receives first
            default ->
                throw new RdmaException(
                        Errno.EINVAL, qp + " is in " + state + ": it can be connected from RESET and INIT");
        };
    }
}
