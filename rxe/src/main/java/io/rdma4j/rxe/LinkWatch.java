package io.rdma4j.rxe;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.verbs.EventType;

/**
 * Follows the interface of a port and tells what that means for it; answers to {@code rxe_notify}. MTU and addresses are not noted
 * here: they are looked up in the interface whenever they matter. Any thread.
 */
final class LinkWatch implements NetDeviceListener {
    private final PortManagement management;
    private final PortEvents events;

    LinkWatch(PortManagement management, PortEvents events) {
        this.management = management;
        this.events = events;
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> management.linkChanged();
            case ADDRESS_CHANGE -> events.tell(EventType.GID_CHANGE, RxeLimits.PORT);
            case UNREGISTER -> events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
            default -> {}
        }
    }
}
