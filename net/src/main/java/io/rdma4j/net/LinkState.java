package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether a device can carry packets ({@code net_device.state}), and what is told of it ({@code operstate}).
 *
 * <p>The flags change at once and by any thread. What follows from a change of the link, the operational state and the event,
 * is settled a little later, once for all changes until then ({@code linkwatch}).
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

    /** Sets or clears a flag in one step ({@code test_and_set_bit}); true if it was otherwise before. */
    private boolean change(int flag, boolean on) {
        int before = flags.getAndUpdate(all -> on ? all | flag : all & ~flag);
        return ((before & flag) != 0) != on;
    }

    /** Up, present and with carrier: one look for each packet. */
    boolean maySend() {
        return (flags.get() & (START | PRESENT | NO_CARRIER)) == (START | PRESENT);
    }

    /** {@return true between up and down ({@code netif_running})} */
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
     * The device is not there for a while, suspended or pulled out ({@code netif_device_detach}): it sends nothing and cannot
     * be brought up.
     */
    public void detach() {
        change(PRESENT, false);
    }

    /** It is there again ({@code netif_device_attach}); what its link did meanwhile is settled now. */
    public void attach() {
        if (change(PRESENT, true) && isEventPending()) {
            announce();
        }
    }

    /** {@return false while the link is lost ({@code netif_carrier_ok})} */
    public boolean isCarrierOk() {
        return !has(NO_CARRIER);
    }

    /**
     * The link came or went ({@code netif_carrier_on}, {@code netif_carrier_off}).
     *
     * @param present true if it came
     */
    public void setCarrier(boolean present) {
        if (change(NO_CARRIER, !present)) {
            fire();
        }
    }

    /** {@return true while the link waits for something outside ({@code netif_dormant})} */
    public boolean isDormant() {
        return has(DORMANT);
    }

    /**
     * The driver waits for something outside, or no more ({@code netif_dormant_on}, {@code netif_dormant_off}).
     *
     * @param dormant true if it waits
     */
    public void setDormant(boolean dormant) {
        if (change(DORMANT, dormant)) {
            fire();
        }
    }

    /** {@code linkwatch_fire_event}: one event is enough, however much happens before it is handled. */
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

    /** {@return true from a change of the link until it is settled} */
    public boolean isEventPending() {
        return has(WATCH_PENDING);
    }

    /** For the namespace, under the lock: settles what follows from changes of the link ({@code linkwatch_do_dev}). */
    public void handleEvent() {
        change(WATCH_PENDING, false);
        applyPolicy();
        if (isRunning()) {
            device.tell(NetDeviceEvent.CARRIER_CHANGE);
        }
    }

    /** {@code linkwatch_init_dev}: a driver that says nothing of its link leaves the state unknown. */
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

    /** {@return the operational state ({@code operstate}), as of the last event that was handled} */
    public OperState operState() {
        return operState;
    }

    /** {@return true if packets pass for all that is known ({@code netif_oper_up})} */
    public boolean isOperational() {
        return operState == OperState.UP || operState == OperState.UNKNOWN;
    }

    /**
     * What a program says that looks after the link ({@code set_operstate}): UP ends the waiting of
     * {@link LinkMode#DORMANT}, DORMANT begins it. Nothing happens if the link has another state than these or is unknown.
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

    /** {@return what the link is at first when it comes up ({@code link_mode})} */
    public LinkMode linkMode() {
        return linkMode;
    }

    /**
     * Changes that; counts from the next change of the link.
     *
     * @param mode who says that the link is ready
     */
    public void setLinkMode(LinkMode mode) {
        linkMode = mode;
    }
}
