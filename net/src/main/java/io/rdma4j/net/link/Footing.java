package io.rdma4j.net.link;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import java.util.function.Consumer;

/**
 * How a device stands on another one below it: while it is registered it holds that one and hears of its changes, and while it is up that one
 * receives for its addresses. The calls are those of the upper device's driver, in its order of life.
 */
final class Footing {
    private final NetDevice upper;
    private final NetDevice lower;
    private final AddressSync addresses;
    private final NetDeviceListener lowerChanges;
    private final NetDeviceListener ownChanges;

    /** @param follow what the upper device does when something happens to the lower one */
    Footing(NetDevice upper, NetDevice lower, Consumer<NetDeviceEvent> follow) {
        this.upper = upper;
        this.lower = lower;
        this.addresses = new AddressSync(upper, lower);
        this.lowerChanges = (_, event) -> follow.accept(event);
        this.ownChanges = (_, event) -> {
            if (event == NetDeviceEvent.MAC_CHANGE) {
                updateAddresses();
            }
        };
    }

    /** The upper device is registered. */
    void take() {
        lower.stack().link(upper, false);
        lower.references().hold();
        lower.addListener(lowerChanges);
        upper.addListener(ownChanges);
        updateCarrier();
    }

    /** It is unregistered; what else it has asked of the lower device is taken back before, as that may go now. */
    void leave() {
        lower.removeListener(lowerChanges);
        upper.removeListener(ownChanges);
        lower.stack().unlink(upper);
        lower.references().put();
    }

    /**
     * The upper device goes up.
     *
     * @throws RdmaException ENETDOWN if the lower one is not
     */
    void open() {
        if (!lower.isUp()) {
            throw new RdmaException(Errno.ENETDOWN, lower.name() + " is down, and " + upper.name() + " stands on it");
        }
        addresses.update();
    }

    /** It goes down. */
    void stop() {
        addresses.clear();
    }

    /** What it wants to receive has changed. */
    void setRxMode() {
        addresses.update();
    }

    /** The address of one of the two has changed. */
    void updateAddresses() {
        if (upper.isUp()) {
            addresses.update();
        }
    }

    /** State or carrier of the lower device have changed. */
    void updateCarrier() {
        upper.setCarrier(lower.isUp() && lower.isCarrierOk());
    }

    /** @throws RdmaException {@code refusal} for an MTU that the lower device does not have */
    void checkMtu(int bytes, Errno refusal) {
        if (bytes > lower.mtu()) {
            throw new RdmaException(
                    refusal,
                    upper.name() + ": MTU " + bytes + " is more than the " + lower.mtu() + " of " + lower.name());
        }
    }
}
