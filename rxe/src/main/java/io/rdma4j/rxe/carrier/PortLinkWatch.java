// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.hca.carrier.CarrierInput;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;

/**
 * Forwards events of a port's network interface to the port. Corresponds to {@code rxe_notify}. MTU and
 * addresses are not cached here: they are read from the interface when needed. Any thread.
 */
final class PortLinkWatch implements NetDeviceListener {
    private final CarrierInput port;

    PortLinkWatch(CarrierInput port) {
        this.port = port;
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> port.linkChanged();
            case ADDRESS_CHANGE -> port.addressesChanged();
            case UNREGISTER -> port.removed();
            default -> {}
        }
    }
}
