// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.datapath;

import io.rdma4j.hca.HcaLimits;
import io.rdma4j.hca.PortEvents;
import io.rdma4j.hca.PortManagement;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.verbs.values.EventType;

/**
 * Forwards events of a port's network interface to management and contexts. Corresponds to {@code rxe_notify}. MTU and
 * addresses are not cached here: they are read from the interface when needed. Any thread.
 */
public final class PortLinkWatch implements NetDeviceListener {
    private final PortManagement management;
    private final PortEvents events;

    public PortLinkWatch(PortManagement management, PortEvents events) {
        this.management = management;
        this.events = events;
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> management.linkChanged();
            case ADDRESS_CHANGE -> events.tell(EventType.GID_CHANGE, HcaLimits.PORT);
            case UNREGISTER -> events.tell(EventType.DEVICE_FATAL, PortEvents.NO_PORT);
            default -> {}
        }
    }
}
