// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.transport.common;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.transport.port.PacketContext;
import io.rdma4j.transport.port.QpPort;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.MigrationState;
import io.rdma4j.verbs.values.QpAttributes;
import org.jspecify.annotations.Nullable;

/**
 * Automatic path migration of one end of a connection (IBA 17.2.8).
 *
 * <p>Both applications load an alternate path and set REARM. From then on that end sends packets without MigReq. An end
 * in REARM that receives such a packet knows that the peer is ready and becomes ARMED. An armed end migrates when the
 * retries on the primary path are exhausted or its application requests it: it uses the alternate path from then on and
 * is MIGRATED. MigReq in its packets makes the other end follow. If neither end sets REARM, MigReq is set in all
 * packets and ignored on receipt. Linux rxe never sets MigReq: it arms and moves an end only after REARM was set on it.
 */
public final class PathMigration {
    /** Causes of a transition from one state to another. */
    public enum Trigger {
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
        /** The last retry brought no response. */
        RETRIES_EXHAUSTED
    }

    private final EngineCore qp;
    private final QpPort port;
    private MigrationState state = MigrationState.MIGRATED;
    private boolean refusalReported;

    PathMigration(EngineCore qp, QpPort port) {
        this.qp = qp;
        this.port = port;
    }

    /**
     * The state machine: only the protocol arms, and an armed end leaves that state only by migrating.
     *
     * @return the next state; null where the trigger is rejected
     */
    public static @Nullable MigrationState next(MigrationState state, Trigger trigger) {
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

    public MigrationState state() {
        return state;
    }

    /** The MigReq bit of packets that are sent. */
    public boolean isRequested() {
        return state == MigrationState.MIGRATED;
    }

    /**
     * Rejects a state that cannot be set now.
     *
     * @param changes contain a state
     * @param loaded whether there is an alternate path
     * @throws RdmaException EINVAL
     */
    public void check(QpAttributes changes, boolean loaded) {
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

    /** Sets a state that was checked. */
    public void set(MigrationState wanted) {
        refusalReported = false;
        move(setting(wanted));
    }

    /**
     * Migrates to the alternate path after the last retry, if there is one and the peer is armed for it; false if the
     * request has failed.
     */
    public boolean escape() {
        return move(Trigger.RETRIES_EXHAUSTED);
    }

    /**
     * Evaluates the MigReq bit of a valid packet. While this end is not MIGRATED the device accepts packets with MigReq
     * from any address.
     *
     * @return false if the packet came over neither path and is to be dropped
     */
    public boolean admits(PacketContext packet) {
        if (isRequested() || !qp.state().servesRequests()) {
            return true;
        }
        if (!packet.migrationRequest) {
            return move(Trigger.PEER_READY);
        }
        boolean followed = port.isOnAlternatePath(packet.skb) && move(Trigger.PEER_MIGRATED);
        // Over the primary path, the packet was sent before the peer set REARM, and requests nothing.
        boolean admitted = followed || port.isOnPrimaryPath(packet.skb);
        if (!admitted && !refusalReported) {
            // Once per arming, because an attacker that guesses a queue pair number could flood its event queue.
            refusalReported = true;
            port.event(EventType.PATH_MIG_ERR);
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
            qp.control().takeAlternatePath();
        }
        return true;
    }
}
