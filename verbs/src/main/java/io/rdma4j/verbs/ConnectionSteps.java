package io.rdma4j.verbs;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Mtu;
import io.rdma4j.base.RdmaException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** What {@link QueuePair#connect} does: the modifications that take a queue pair to RTS, each with what belongs to it. */
final class ConnectionSteps {
    /** Those of librdmacm: the regions' own rights say what peers can really do. */
    private static final Set<AccessFlag> PEER_RIGHTS =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    /** Both ends must agree without a word, and every Ethernet carries it. */
    private static final Mtu PATH_MTU = Mtu.MTU_1024;

    /** Both ends must agree; there is hardly a device that cannot do as many. */
    private static final int READS_UNDER_WAY = 4;

    /**
     * With seven retries, of which each waits longer, the peer is given up after 7 s: a process that stands still for some seconds
     * (garbage collection, a debugger, migration of its machine) keeps its connections. The value of rdma-core's examples, 14, makes
     * that 1.8 s; their peer is an adapter, which answers while the process stands still.
     */
    private static final int TIMEOUT_268_MS = 16;

    private static final int RNR_DELAY_640_US = 12;
    private static final int RETRIES = 7;
    private static final int RNR_RETRY_FOR_EVER = 7;

    private ConnectionSteps() {}

    /**
     * The modifications, in order.
     *
     * @param path to the peer
     * @param changes what shall be other than usual
     * @throws RdmaException EINVAL if the queue pair cannot be connected from where it is, or a change belongs to no step
     */
    static List<QpAttributes> of(
            QueuePair qp, AddressVector path, QpAddress own, QpAddress peer, QpAttributes changes) {
        QpType type = qp.initAttributes().type();
        QpState state = qp.state();
        QpAttributes usual = usual(path, own, peer);
        QpAttributes left = changes.relevant(type);
        List<QpAttributes> steps = new ArrayList<>();
        for (QpState next : way(qp, type, state)) {
            QpStateTable.Rule rule = Objects.requireNonNull(QpStateTable.rule(type, state, next));
            QpAttributes asked = usual.only(rule.required()).with(left.only(rule.admitted()));
            steps.add(asked.toBuilder().state(next).build());
            left = left.without(rule.admitted());
            state = next;
        }
        if (!left.mask().isEmpty()) {
            throw new RdmaException(
                    Errno.EINVAL,
                    left.mask() + " cannot be set while " + qp + ", " + type + " in " + qp.state() + ", is connected");
        }
        return steps;
    }

    private static QpAttributes usual(AddressVector path, QpAddress own, QpAddress peer) {
        return QpAttributes.builder()
                .port(path.port())
                .pkeyIndex(0)
                .accessFlags(PEER_RIGHTS)
                .addressVector(path)
                .destinationQpn(peer.qpn())
                .rqPsn(peer.psn())
                .pathMtu(PATH_MTU)
                .maxDestRdAtomic(READS_UNDER_WAY)
                .minRnrTimer(RNR_DELAY_640_US)
                .sqPsn(own.psn())
                .timeout(TIMEOUT_268_MS)
                .retryCount(RETRIES)
                .rnrRetry(RNR_RETRY_FOR_EVER)
                .maxRdAtomic(READS_UNDER_WAY)
                .build();
    }

    private static List<QpState> way(QueuePair qp, QpType type, QpState state) {
        if (!type.isConnected()) {
            throw new RdmaException(Errno.EINVAL, qp + " is of type " + type + ", which has no peer to connect with");
        }
        return switch (state) {
            case RESET -> List.of(QpState.INIT, QpState.RTR, QpState.RTS);
            case INIT -> List.of(QpState.RTR, QpState.RTS); // by the program, so that it could post receives
            default ->
                throw new RdmaException(
                        Errno.EINVAL, qp + " is in " + state + ": it can be connected from RESET and INIT");
        };
    }
}
