package io.rdma4j.transport;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.MigrationState;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Automatic path migration of one end of a connection (IBA 17.2.8).
 *
 * <p>Both applications load an alternate path and set REARM. From then on the packets of that end are sent without MigReq, and who
 * receives one knows the other to be ready: it is ARMED. An armed end that gives up its peer on the primary path, or is told to
 * by its application, goes over to the alternate one for good and is MIGRATED; MigReq in its packets makes the other end follow.
 * Where nobody ever sets REARM, MigReq is sent in all packets and looked at in none. Linux rxe never sends it: it neither arms
 * nor moves an end that was not told to REARM.
 */
final class PathMigration {
    /** What can move an end from one state to another. */
    enum Trigger {
        /** The application sets MIGRATED. */
        SET_MIGRATED,
        /** The application sets REARM. */
        SET_REARM,
        /** The application sets ARMED. */
        SET_ARMED,
        /** A packet without MigReq arrived over the primary path. */
        PEER_READY,
        /** A packet with MigReq arrived over the alternate path. */
        PEER_MIGRATED,
        /** The last retry brought no answer. */
        RETRIES_EXHAUSTED
    }

    private final QpEngine qp;
    private MigrationState state = MigrationState.MIGRATED;
    private boolean refusalReported;

    PathMigration(QpEngine qp) {
        this.qp = qp;
    }

    void reset() {
        state = MigrationState.MIGRATED;
    }

    /**
     * The state machine: only the protocol arms, and an armed end has no way back but over the alternate path.
     *
     * @return the next state; null where the trigger is refused
     */
    static @Nullable MigrationState next(MigrationState state, Trigger trigger) {
        boolean rearming = state == MigrationState.REARM;
        boolean armed = state == MigrationState.ARMED;
        return switch (trigger) {
            case SET_MIGRATED, PEER_MIGRATED -> rearming ? null : MigrationState.MIGRATED;
            case SET_REARM -> armed ? null : MigrationState.REARM;
            case SET_ARMED -> null;
            case PEER_READY -> rearming ? MigrationState.ARMED : state;
            case RETRIES_EXHAUSTED -> armed ? MigrationState.MIGRATED : null;
        };
    }

    private static Trigger setting(MigrationState wanted) {
        return switch (wanted) {
            case MIGRATED -> Trigger.SET_MIGRATED;
            case REARM -> Trigger.SET_REARM;
            case ARMED -> Trigger.SET_ARMED;
        };
    }

    MigrationState state() {
        return state;
    }

    /** The MigReq bit of packets sent. */
    boolean isRequested() {
        return state == MigrationState.MIGRATED;
    }

    /**
     * Refuses a state that cannot be set now.
     *
     * @param loaded whether there is an alternate path
     * @throws RdmaException EINVAL
     */
    void check(QpAttributes changes, boolean loaded) {
        if (!changes.has(QpAttribute.PATH_MIG_STATE)) {
            return;
        }
        MigrationState wanted = changes.migrationState();
        if (next(state, setting(wanted)) == null) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "path_mig_state " + wanted + " cannot be set in " + state
                            + ": MIGRATED goes to REARM, ARMED to MIGRATED, and only the peer makes REARM ARMED");
        }
        if (wanted == MigrationState.REARM && !loaded) {
            throw new RdmaException(
                    Errno.EINVAL, "path_mig_state REARM needs an alternate path: ALT_PATH was never set");
        }
    }

    /** The application sets a state that was checked. */
    void set(MigrationState wanted) {
        refusalReported = false;
        move(setting(wanted));
    }

    /** Goes over to the alternate path, if there is one and the peer is ready for it; else the request under way is lost. */
    boolean escape() {
        return move(Trigger.RETRIES_EXHAUSTED);
    }

    /**
     * Looks at the MigReq bit of a packet that arrived whole; while this end is not MIGRATED the device lets through those
     * that have it from anywhere.
     *
     * @return false if the packet came over neither path, and is to be dropped
     */
    boolean admits(PacketContext packet) {
        if (isRequested() || !qp.state().servesRequests()) {
            return true;
        }
        if (!packet.migrationRequest) {
            return move(Trigger.PEER_READY);
        }
        boolean followed = qp.port().isOnAlternatePath(packet.skb) && move(Trigger.PEER_MIGRATED);
        // Over the primary path it was sent before the peer was told to rearm, and asks for nothing.
        boolean admitted = followed || qp.port().isOnPrimaryPath(packet.skb);
        if (!admitted && !refusalReported) {
            // Once for each time of arming, or whoever guesses a queue pair's number could flood its event queue.
            refusalReported = true;
            qp.port().event(EventType.PATH_MIG_ERR);
        }
        return admitted;
    }

    private boolean move(Trigger trigger) {
        MigrationState next = next(state, trigger);
        if (next == null) {
            return false;
        }
        boolean migrates = state == MigrationState.ARMED && next == MigrationState.MIGRATED;
        state = next;
        if (migrates) {
            qp.takeAlternatePath();
        }
        return true;
    }
}
