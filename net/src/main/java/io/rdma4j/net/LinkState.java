package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a device can carry packets ({@code net_device.state}), and its operational state ({@code operstate}).
 *
 * <p>Any thread may change the flags, with immediate effect. The operational state and the event follow later, once for
 * all changes until then ({@code linkwatch}).
 */
public final class LinkState {
    /** {@code __LINK_STATE_START}. */
    private static final int START = 1;

    /** {@code __LINK_STATE_PRESENT}. */
    private static final int PRESENT = 1 << 1;

    /** {@code __LINK_STATE_NOCARRIER}. */
    private static final int NO_CARRIER = 1 << 2;

    /** {@code __LINK_STATE_LINKWATCH_PENDING}. */
    private static final int WATCH_PENDING = 1 << 3;

    /** {@code __LINK_STATE_DORMANT}. */
    private static final int DORMANT = 1 << 4;

    private final NetDevice device;
    private final AtomicInteger flags = new AtomicInteger();
    private volatile OperState operState = OperState.UNKNOWN;
    private volatile LinkMode linkMode = LinkMode.DEFAULT;

    LinkState(NetDevice device) {
        this.device = device;
    }

    private boolean has(int flag) {
        return (flags.get() & flag) != 0;
    }

    /** Sets or clears a flag atomically ({@code test_and_set_bit}). Returns true if it changed. */
    private boolean change(int flag, boolean on) {
        int before = flags.getAndUpdate(all -> on ? all | flag : all & ~flag);
        return ((before & flag) != 0) != on;
    }

    /** Returns true if the device is up, present and has a carrier: one read for each packet. */
    boolean maySend() {
        return (flags.get() & (START | PRESENT | NO_CARRIER)) == (START | PRESENT);
    }

    /** {@return true while the device is up ({@code netif_running})} */
    public boolean isRunning() {
        return has(START);
    }

    void setRunning(boolean running) {
        change(START, running);
    }

    /** {@return false before registration, and while the device is detached ({@code netif_device_present})} */
    public boolean isPresent() {
        return has(PRESENT);
    }

    /**
     * Marks the device as absent, because it is suspended or removed ({@code netif_device_detach}). It sends nothing
     * and cannot be brought up.
     */
    public void detach() {
        change(PRESENT, false);
    }

    /** Marks the device as present again ({@code netif_device_attach}). A pending link event is scheduled now. */
    public void attach() {
        if (change(PRESENT, true) && isEventPending()) {
            announce();
        }
    }

    /** {@return true if the link has a carrier ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return !has(NO_CARRIER);
    }

    /**
     * Reports that the link gained or lost its carrier ({@code netif_carrier_on}, {@code netif_carrier_off}).
     *
     * @param present true if there is a carrier
     */
    public void setCarrier(boolean present) {
        if (change(NO_CARRIER, !present)) {
            fire();
        }
    }

    /** {@return true while the driver waits for an external event ({@code netif_dormant})} */
    public boolean isDormant() {
        return has(DORMANT);
    }

    /**
     * Reports that the driver waits for an external event, or no longer does ({@code netif_dormant_on},
     * {@code netif_dormant_off}).
     *
     * @param dormant true if it waits
     */
    public void setDormant(boolean dormant) {
        if (change(DORMANT, dormant)) {
            fire();
        }
    }

    /** {@code linkwatch_fire_event}: one event covers all changes before it is handled. */
    private void fire() {
        if (device.registration().isRegistered() && change(WATCH_PENDING, true)) {
            announce();
        }
    }

    private void announce() {
        DeviceHome home = device.registration().home();
        if (home != null) {
            home.linkEvent(device);
        }
    }

    /** {@return true from a change of the link until its event is handled} */
    public boolean isEventPending() {
        return has(WATCH_PENDING);
    }

    /**
     * Updates the operational state after changes of the link ({@code linkwatch_do_dev}). The namespace calls it, under
     * the RTNL lock.
     */
    public void handleEvent() {
        change(WATCH_PENDING, false);
        applyPolicy();
        if (isRunning()) {
            device.tell(NetDeviceEvent.CARRIER_CHANGE);
        }
    }

    /** {@code linkwatch_init_dev}: without a report from the driver the state stays unknown. */
    void onRegistered() {
        change(PRESENT, true);
        if (!isCarrierOk() || isDormant()) {
            applyPolicy();
        }
    }

    void onUnregistered() {
        change(PRESENT, false);
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
            NetDevice lower = device.stack().lower();
            return lower == null || lower.isCarrierOk() ? OperState.DOWN : OperState.LOWER_LAYER_DOWN;
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
                    device.name() + ": " + wanted + " is for the link to say, a program says UP or DORMANT");
        }
        device.registration().exclusively(() -> {
            OperState other = wanted == OperState.UP ? OperState.DORMANT : OperState.UP;
            boolean follows = operState == other || operState == OperState.UNKNOWN;
            if (follows && !(wanted == OperState.UP && isDormant())) {
                operState = wanted;
                if (isRunning()) {
                    device.tell(NetDeviceEvent.CARRIER_CHANGE);
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
