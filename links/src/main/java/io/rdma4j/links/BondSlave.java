// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.receive.RxHandler;
import io.rdma4j.packet.SkBuff;

/** One slave of a bond ({@code struct slave}): receives the frames of its device. */
final class BondSlave implements RxHandler, NetDeviceListener {
    private final BondDevice bond;
    private final NetDevice device;
    private final AddressSync addresses;

    /** Restored when the device is released. */
    private final long ownMac;

    private final int ownMtu;

    BondSlave(BondDevice bond, NetDevice device) {
        this.bond = bond;
        this.device = device;
        this.addresses = new AddressSync(bond.netDevice(), device);
        this.ownMac = device.macAddress();
        this.ownMtu = device.mtu();
    }

    NetDevice device() {
        return device;
    }

    AddressSync addresses() {
        return addresses;
    }

    /** True if it can send and receive. */
    boolean works() {
        return device.isUp() && device.isCarrierOk();
    }

    /** Restores the device's original address and MTU; takes it down. */
    void restore() {
        addresses.clear();
        device.down();
        device.setMacAddress(ownMac);
        device.setMtu(ownMtu);
    }

    @Override
    public boolean receive(SkBuff skb) {
        bond.receive(skb, this);
        return true;
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> bond.choose();
            case UNREGISTER -> changed.stack().enslave(null);
            default -> {
                // Other events do not affect a slave.
            }
        }
    }
}
