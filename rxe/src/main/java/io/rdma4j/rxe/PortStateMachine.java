package io.rdma4j.rxe;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OperState;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.PhysicalState;
import io.rdma4j.verbs.PortInfo;
import io.rdma4j.verbs.PortState;
import org.jspecify.annotations.Nullable;

/**
 * The logical state of a port (IBA 7.2.7): what its interface makes of it, and a subnet manager if it has one. Any thread.
 *
 * <pre>
 *   DOWN          the interface is down or has no link, or the port was shut down
 *   INIT          there is a link; it is dormant, or waits for the subnet manager
 *   ARMED         the subnet manager has begun: packets are received, none are sent
 *   ACTIVE        without a subnet manager as soon as there is a link, else when the manager says so
 *   ACTIVE_DEFER  the link is lost, and it is not settled yet that it is for good (linkwatch)
 * </pre>
 */
final class PortStateMachine {
    private final NetDevice device;
    private final PortFailure failure;

    /** As of the last event of the interface. */
    private boolean linkUp;

    private boolean shutDown;
    private boolean managed;

    /** INIT, ARMED or ACTIVE: how far the port has come since there is a link. */
    private PortState progress = PortState.ACTIVE;

    private int initTypeReply;

    /** What was told last. */
    private boolean active;

    private volatile long linkDowned;
    private volatile boolean sends = true;
    private volatile boolean receives = true;

    PortStateMachine(NetDevice device, PortFailure failure) {
        this.device = device;
        this.failure = failure;
        this.linkUp = isLinked();
        this.active = linkUp;
    }

    private boolean isLinked() {
        return device.isUp() && device.isCarrierOk();
    }

    /** The port is there again: a link that was up is not told. */
    synchronized void begin(PortSettings settings) {
        managed = settings.info().masterSmLid() != 0;
        shutDown = settings.shutDown();
        train();
        change();
    }

    /** The state now. */
    synchronized PortState state() {
        if (!linkUp || shutDown || failure.isThere()) {
            return PortState.DOWN;
        }
        if (device.linkState().operState() == OperState.DORMANT) {
            return PortState.INIT;
        }
        return progress == PortState.ACTIVE && !isLinked() ? PortState.ACTIVE_DEFER : progress;
    }

    /** Answers to {@code phys_state} of rxe's {@code query_port}. */
    synchronized PhysicalState physicalState() {
        if (shutDown || failure.isThere() || !device.isUp()) {
            return PhysicalState.DISABLED;
        }
        if (device.isCarrierOk()) {
            return PhysicalState.LINK_UP;
        }
        return linkUp ? PhysicalState.LINK_ERROR_RECOVERY : PhysicalState.POLLING;
    }

    /** False if management lets nothing out; the interface has its own say. One look for each packet. */
    boolean sends() {
        return sends;
    }

    /** False if management lets nothing in. One look for each packet. */
    boolean receives() {
        return receives;
    }

    /** What the subnet manager has answered since there is a link. */
    synchronized int initTypeReply() {
        return initTypeReply;
    }

    /** True if somebody has shut the port down. */
    synchronized boolean isShutDown() {
        return shutDown;
    }

    /** Times the interface went down or lost its link. */
    long linkDowned() {
        return linkDowned;
    }

    /**
     * Something happened at the interface.
     *
     * @return PORT_ACTIVE or PORT_ERR; null if it is as it was
     */
    synchronized @Nullable EventType settle() {
        boolean now = isLinked();
        if (now && !linkUp) {
            train();
        } else if (!now && linkUp) {
            linkDowned++;
        }
        linkUp = now;
        return change();
    }

    /** The link came up: who manages the port begins anew. */
    private void train() {
        progress = managed ? PortState.INIT : PortState.ACTIVE;
        initTypeReply = 0;
    }

    private @Nullable EventType change() {
        sends = !shutDown && progress == PortState.ACTIVE;
        receives = !shutDown && progress != PortState.INIT;
        PortState now = state();
        boolean isActive = now == PortState.ACTIVE || now == PortState.ACTIVE_DEFER;
        if (isActive == active) {
            return null;
        }
        active = isActive;
        return isActive ? EventType.PORT_ACTIVE : EventType.PORT_ERR;
    }

    /** The port goes down, and stays so until its link is ordered to come up. */
    synchronized @Nullable EventType shutDown() {
        shutDown = true;
        return change();
    }

    /** @throws RdmaException EINVAL for an order that does not follow the state (IBA 14.2.5.6) */
    synchronized void check(PortInfo orders) {
        boolean follows = switch (orders.state()) {
            case NOP, DOWN -> true;
            case ARMED -> progress == PortState.INIT && linkUp;
            case ACTIVE -> progress == PortState.ARMED && linkUp;
            case INIT, ACTIVE_DEFER -> false;
        };
        PortState now = state();
        if (!follows && orders.state() != now) {
            throw new RdmaException(
                    Errno.EINVAL,
                    "PortState " + orders.state() + " does not follow " + now
                            + ": ARMED follows INIT, ACTIVE follows ARMED, DOWN begins anew");
        }
    }

    /**
     * Follows orders that were checked.
     *
     * @return PORT_ERR if the port is active no more, even if only for a moment; the caller then asks {@link #settle}
     */
    synchronized @Nullable EventType follow(PortInfo orders) {
        managed = orders.masterSmLid() != 0;
        initTypeReply = orders.initTypeReply();
        boolean linkOrdered = orders.physicalState() != physicalState();
        PortState wanted = orders.state() == state() ? PortState.NOP : orders.state();
        if (linkOrdered && orders.physicalState() == PhysicalState.DISABLED) {
            return shutDown();
        }
        if (linkOrdered && orders.physicalState() == PhysicalState.POLLING) {
            shutDown = false;
            train();
        }
        switch (wanted) {
            case ARMED, ACTIVE -> progress = wanted;
            case DOWN -> {
                boolean wasActive = active;
                active = false;
                train();
                return wasActive ? EventType.PORT_ERR : null;
            }
            default -> {}
        }
        return null;
    }
}
