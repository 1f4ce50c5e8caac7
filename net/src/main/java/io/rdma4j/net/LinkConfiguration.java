package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** The MTU and the link address of a device. The driver may reject a change. */
final class LinkConfiguration {
    private final NetDevice device;
    private final int maxMtu;
    private volatile int mtu;

    LinkConfiguration(NetDevice device, int maxMtu) {
        this.device = device;
        this.maxMtu = maxMtu;
        this.mtu = maxMtu;
    }

    int mtu() {
        return mtu;
    }

    void setMtu(int bytes) {
        if (bytes < NetDeviceSetup.MIN_MTU || bytes > maxMtu) {
            throw new RdmaException(
                    Errno.EINVAL,
                    device.name() + ": MTU " + bytes + " is not in " + NetDeviceSetup.MIN_MTU + ".." + maxMtu);
        }
        device.registration().exclusively(() -> {
            if (bytes != mtu) {
                device.driver().control().changeMtu(device, bytes);
                mtu = bytes;
                device.tell(NetDeviceEvent.MTU_CHANGE);
            }
        });
    }

    void setMacAddress(long mac) {
        if (device.linkType() != LinkType.ETHERNET) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP, device.name() + " is no Ethernet device: it has no address to change");
        }
        device.registration().exclusively(() -> {
            DeviceControl control = device.driver().control();
            control.validateAddress(device, mac);
            control.setMacAddress(device, mac);
            device.link().own(mac);
            device.tell(NetDeviceEvent.MAC_CHANGE);
        });
    }
}
