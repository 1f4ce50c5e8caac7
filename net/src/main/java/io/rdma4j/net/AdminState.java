package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;

/** Brings a device up and down ({@code IFF_UP}), under the RTNL lock. */
final class AdminState {
    private final NetDevice device;
    private final LoopLink loop;

    AdminState(NetDevice device, LoopLink loop) {
        this.device = device;
        this.loop = loop;
    }

    /** {@code __dev_open}. */
    void up() {
        DeviceRegistration registration = device.registration();
        if (!registration.isRegistered()) {
            throw new RdmaException(
                    Errno.ENODEV, device.name() + " is " + registration.state() + ": register it first");
        }
        if (!device.linkState().isPresent()) {
            throw new RdmaException(Errno.ENODEV, device.name() + " is detached");
        }
        if (!device.isUp()) {
            open();
        }
    }

    private void open() {
        DeviceDriver driver = device.driver();
        if (device.linkType() == LinkType.ETHERNET) {
            driver.control().validateAddress(device, device.macAddress());
        }
        driver.ops().open(device);
        device.linkState().setRunning(true);
        device.transmitQueues().start();
        device.napi().enable();
        // Packets may have arrived while NAPI was disabled.
        device.napi().schedule();
        device.link().changed();
        device.tell(NetDeviceEvent.UP);
    }

    /** {@code __dev_close}. */
    void down() {
        if (device.isUp()) {
            device.linkState().setRunning(false);
            device.napi().disable();
            device.transmitQueues().drop(_ -> true);
            loop.drop(device, _ -> true);
            device.driver().ops().stop(device);
            device.tell(NetDeviceEvent.DOWN);
        }
    }
}
