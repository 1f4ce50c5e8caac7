// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import java.util.function.Consumer;

/**
 * Relation of an upper device to the lower device that it is stacked on. While the upper device is registered, it holds
 * a reference to the lower one and listens to its events. While it is up, the lower one receives for its addresses. The
 * upper device's driver makes the calls, in lifecycle order.
 */
final class Footing {
    private final NetDevice upper;
    private final NetDevice lower;
    private final AddressSync addresses;
    private final NetDeviceListener lowerChanges;
    private final NetDeviceListener ownChanges;

    /** @param follow called when an event happens to the lower device */
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

    /** Called when the upper device is registered. */
    void take() {
        lower.stack().link(upper, false);
        lower.references().hold();
        lower.addListener(lowerChanges);
        upper.addListener(ownChanges);
        updateCarrier();
    }

    /**
     * Called when the upper device is unregistered. The driver withdraws its other requests to the lower device before
     * this call, because the lower device may be released now.
     */
    void leave() {
        lower.removeListener(lowerChanges);
        upper.removeListener(ownChanges);
        lower.stack().unlink(upper);
        lower.references().put();
    }

    /**
     * Called when the upper device goes up.
     *
     * @throws RdmaException ENETDOWN if the lower one is down
     */
    void open() {
        if (!lower.isUp()) {
            throw new RdmaException(Errno.ENETDOWN, lower.name() + " is down, and " + upper.name() + " stands on it");
        }
        addresses.update();
    }

    /** Called when the upper device goes down. */
    void stop() {
        addresses.clear();
    }

    /** Called when the addresses or the receive mode of the upper device change. */
    void setRxMode() {
        addresses.update();
    }

    /** Called when the address of one of the two devices changes. */
    void updateAddresses() {
        if (upper.isUp()) {
            addresses.update();
        }
    }

    /** Called when the state or the carrier of the lower device changes. */
    void updateCarrier() {
        upper.setCarrier(lower.isUp() && lower.isCarrierOk());
    }

    /** @throws RdmaException with {@code refusal} if the MTU is larger than that of the lower device */
    void checkMtu(int bytes, Errno refusal) {
        if (bytes > lower.mtu()) {
            throw new RdmaException(
                    refusal,
                    upper.name() + ": MTU " + bytes + " is more than the " + lower.mtu() + " of " + lower.name());
        }
    }
}
