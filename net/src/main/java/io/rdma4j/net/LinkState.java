// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.StateBits;
import java.util.function.BooleanSupplier;

/**
 * Whether a device can carry packets ({@code net_device.state}), and its operational state ({@code operstate}).
 *
 * <p>Any thread may change the flags, with immediate effect. The operational state and the event follow later, once for
 * all changes until then ({@code linkwatch}).
 */
public final class LinkState {
    private final DeviceCore core;
    private final StateBits bits;
    private final Runnable linkEvent;
    private final BooleanSupplier isLowerDown;
    private volatile OperState operState = OperState.UNKNOWN;
    private volatile LinkMode linkMode = LinkMode.DEFAULT;

    /**
     * Creates the state of a device that is down. {@code linkEvent} schedules a call of {@link #handleEvent},
     * {@code isLowerDown} returns true if the lower device has no carrier.
     */
    LinkState(DeviceCore core, Runnable linkEvent, BooleanSupplier isLowerDown) {
        this.core = core;
        this.bits = core.state();
        this.linkEvent = linkEvent;
        this.isLowerDown = isLowerDown;
    }

    /** {@return true while the device is up ({@code netif_running})} */
    public boolean isRunning() {
        return bits.isRunning();
    }

    void setRunning(boolean running) {
        bits.change(StateBits.START, running);
    }

    /** {@return false before registration, and while the device is detached ({@code netif_device_present})} */
    public boolean isPresent() {
        return bits.has(StateBits.PRESENT);
    }

    /**
     * Marks the device as absent, because it is suspended or removed ({@code netif_device_detach}). It sends nothing
     * and cannot be brought up.
     */
    public void detach() {
        bits.change(StateBits.PRESENT, false);
    }

    /** Marks the device as present again ({@code netif_device_attach}). A pending link event is scheduled now. */
    public void attach() {
        if (bits.change(StateBits.PRESENT, true) && isEventPending()) {
            linkEvent.run();
        }
    }

    /** {@return true if the link has a carrier ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return bits.isCarrierOk();
    }

    /**
     * Reports that the link gained or lost its carrier ({@code netif_carrier_on}, {@code netif_carrier_off}).
     *
     * @param present true if there is a carrier
     */
    public void setCarrier(boolean present) {
        if (bits.change(StateBits.NO_CARRIER, !present)) {
            fire();
        }
    }

    /** {@return true while the driver waits for an external event ({@code netif_dormant})} */
    public boolean isDormant() {
        return bits.has(StateBits.DORMANT);
    }

    /**
     * Reports that the driver waits for an external event, or no longer does ({@code netif_dormant_on},
     * {@code netif_dormant_off}).
     *
     * @param dormant true if it waits
     */
    public void setDormant(boolean dormant) {
        if (bits.change(StateBits.DORMANT, dormant)) {
            fire();
        }
    }

    /** {@code linkwatch_fire_event}: one event covers all changes before it is handled. */
    private void fire() {
        if (core.isRegistered() && bits.change(StateBits.WATCH_PENDING, true)) {
            linkEvent.run();
        }
    }

    /** {@return true from a change of the link until its event is handled} */
    public boolean isEventPending() {
        return bits.has(StateBits.WATCH_PENDING);
    }

    /**
     * Updates the operational state after changes of the link ({@code linkwatch_do_dev}). The namespace calls it, under
     * the RTNL lock.
     */
    public void handleEvent() {
        bits.change(StateBits.WATCH_PENDING, false);
        applyPolicy();
        if (isRunning()) {
            core.tell(NetDeviceEvent.CARRIER_CHANGE);
        }
    }

    /** {@code linkwatch_init_dev}: without a report from the driver the state stays unknown. */
    void onRegistered() {
        bits.change(StateBits.PRESENT, true);
        if (!isCarrierOk() || isDormant()) {
            applyPolicy();
        }
    }

    void onUnregistered() {
        bits.change(StateBits.PRESENT, false);
    }

    /** {@code rfc2863_policy}. */
    private void applyPolicy() {
        OperState now = defaultState();
        boolean waits = now == OperState.UP && linkMode == LinkMode.DORMANT && operState != OperState.UP;
        operState = waits ? OperState.DORMANT : now;
    }

    /** {@code default_operstate}. */
    private OperState defaultState() {
        if (!isCarrierOk()) {
            return isLowerDown.getAsBoolean() ? OperState.LOWER_LAYER_DOWN : OperState.DOWN;
        }
        return isDormant() ? OperState.DORMANT : OperState.UP;
    }

    /** {@return the operational state ({@code operstate}) after the last handled event} */
    public OperState operState() {
        return operState;
    }

    /** {@return true if the state is UP or unknown ({@code netif_oper_up})} */
    public boolean isOperational() {
        return operState == OperState.UP || operState == OperState.UNKNOWN;
    }

    /**
     * Sets the operational state, as a supervising program does ({@code set_operstate}). UP ends the waiting of
     * {@link LinkMode#DORMANT}, DORMANT begins it. It applies only if the present state is the other one of these two
     * or UNKNOWN. UP has no effect while the driver is dormant.
     *
     * @param wanted UP or DORMANT
     * @throws RdmaException EINVAL for any other state
     */
    public void setOperState(OperState wanted) {
        if (wanted != OperState.UP && wanted != OperState.DORMANT) {
            throw new RdmaException(
                    Errno.EINVAL,
                    core.name() + ": " + wanted + " is for the link to say, a program says UP or DORMANT");
        }
        core.exclusively(() -> {
            OperState other = wanted == OperState.UP ? OperState.DORMANT : OperState.UP;
            boolean follows = operState == other || operState == OperState.UNKNOWN;
            if (follows && !(wanted == OperState.UP && isDormant())) {
                operState = wanted;
                if (isRunning()) {
                    core.tell(NetDeviceEvent.CARRIER_CHANGE);
                }
            }
        });
    }

    /** {@return the operational state of the link after it came up ({@code link_mode})} */
    public LinkMode linkMode() {
        return linkMode;
    }

    /**
     * Sets the link mode, with effect from the next change of the link.
     *
     * @param mode the mode
     */
    public void setLinkMode(LinkMode mode) {
        linkMode = mode;
    }
}
