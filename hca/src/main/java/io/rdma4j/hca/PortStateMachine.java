// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.verbs.device.PhysicalState;
import io.rdma4j.verbs.device.PortInfo;
import io.rdma4j.verbs.device.PortState;
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.wire.mad.sm.PortInfoAttribute;
import org.jspecify.annotations.Nullable;

/**
 * The logical state of a port (IBA 7.2.7), determined by its interface and by a subnet manager, if there is one. Any
 * thread.
 *
 * <pre>
 *   DOWN          the interface is down or has no link, or the port was shut down
 *   INIT          there is a link; it is dormant, or waits for the subnet manager
 *   ARMED         set by the subnet manager: packets are received, none are sent
 *   ACTIVE        without a subnet manager as soon as there is a link, otherwise set by the manager
 *   ACTIVE_DEFER  the link is lost, but the loss is not yet confirmed (linkwatch)
 * </pre>
 */
public final class PortStateMachine {
    private final PortLink link;
    private final PortFailure failure;

    /** State at the last event of the interface. */
    private boolean linkUp;

    private PortInfoBytes bytes = new PortInfoBytes();

    /**
     * INIT, ARMED or ACTIVE: the state that the port has reached since the link came up. Not used if the link has a
     * state of its own.
     */
    private PortState progress = PortState.ACTIVE;

    /** State of the last event that was raised. */
    private boolean active;

    private volatile long linkDowned;
    private volatile boolean sends = true;
    private volatile boolean receives = true;

    public PortStateMachine(PortLink link, PortFailure failure) {
        this.link = link;
        this.failure = failure;
        this.linkUp = isLinked();
        this.active = linkUp;
    }

    private boolean isLinked() {
        return link.isUp() && link.isCarrierOk();
    }

    /** Starts with the attribute of the port, as it was kept. Raises no event for a link that is up. */
    public synchronized void begin(PortInfoBytes kept) {
        bytes = kept;
        train();
        change();
    }

    /** Writes the two states into the attribute. */
    synchronized void writeTo(PortInfoBytes attribute) {
        attribute.states(state(), physicalState());
    }

    /** Returns the current state. */
    public synchronized PortState state() {
        if (!linkUp || bytes.isShutDown() || failure.isThere()) {
            return PortState.DOWN;
        }
        if (link.isDormant()) {
            return PortState.INIT;
        }
        PortState reached = reached();
        return reached == PortState.ACTIVE && !isLinked() ? PortState.ACTIVE_DEFER : reached;
    }

    private PortState reached() {
        PortState managed = link.managedState();
        return managed == null ? progress : managed;
    }

    /** Returns the physical state. Corresponds to {@code phys_state} of rxe's {@code query_port}. */
    public synchronized PhysicalState physicalState() {
        if (bytes.isShutDown() || failure.isThere() || !link.isUp()) {
            return PhysicalState.DISABLED;
        }
        if (link.isCarrierOk()) {
            return PhysicalState.LINK_UP;
        }
        return linkUp ? PhysicalState.LINK_ERROR_RECOVERY : PhysicalState.POLLING;
    }

    /** Returns false if management has disabled sending. Read once per packet. */
    public boolean sends() {
        return sends;
    }

    /** Returns false if management has disabled receiving. Read once per packet. */
    public boolean receives() {
        return receives;
    }

    /** Holds the error that took the port out of service, if any. */
    public PortFailure failure() {
        return failure;
    }

    /** Returns how many times the interface went down or lost its link. */
    public long linkDowned() {
        return linkDowned;
    }

    /**
     * Updates the state after an event of the interface.
     *
     * @return PORT_ACTIVE or PORT_ERR; null if the state is unchanged
     */
    public synchronized @Nullable EventType settle() {
        boolean now = isLinked();
        if (now && !linkUp) {
            train();
        } else if (!now && linkUp) {
            linkDowned++;
        }
        linkUp = now;
        return change();
    }

    /** Resets the state after the link came up: a subnet manager must configure the port again. */
    private void train() {
        boolean managed = bytes.get(PortInfoAttribute.MASTER_SM_LID) != 0;
        progress = managed ? PortState.INIT : PortState.ACTIVE;
        bytes.set(PortInfoAttribute.INIT_TYPE_REPLY, 0);
    }

    private @Nullable EventType change() {
        boolean shutDown = bytes.isShutDown();
        PortState reached = reached();
        sends = !shutDown && reached == PortState.ACTIVE;
        receives = !shutDown && (reached == PortState.ACTIVE || reached == PortState.ARMED);
        PortState now = state();
        boolean isActive = now == PortState.ACTIVE || now == PortState.ACTIVE_DEFER;
        if (isActive == active) {
            return null;
        }
        active = isActive;
        return isActive ? EventType.PORT_ACTIVE : EventType.PORT_ERR;
    }

    /** Shuts the port down until management sets the physical state to POLLING. */
    public synchronized @Nullable EventType shutDown() {
        bytes.shutDown(true);
        return change();
    }

    /** @throws RdmaException EINVAL for a state that may not follow the current one (IBA 14.2.5.6) */
    public synchronized void check(PortInfo orders) {
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
     * Applies orders that {@link #check} accepted and that the attribute has.
     *
     * @return PORT_ERR if the port was active and no longer is, even if only briefly; the caller then calls
     *     {@link #settle}
     */
    public synchronized @Nullable EventType follow(PortInfo orders) {
        boolean linkOrdered = orders.physicalState() != physicalState();
        PortState wanted = orders.state() == state() ? PortState.NOP : orders.state();
        if (linkOrdered && orders.physicalState() == PhysicalState.DISABLED) {
            return shutDown();
        }
        if (linkOrdered && orders.physicalState() == PhysicalState.POLLING) {
            bytes.shutDown(false);
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
