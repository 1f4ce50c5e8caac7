// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.address.LinkAddresses;
import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.device.StateBits;
import io.rdma4j.net.receive.LoopLink;
import io.rdma4j.net.receive.Napi;
import io.rdma4j.net.transmit.DeviceOutput;

/** Brings a device up and down ({@code IFF_UP}), under the RTNL lock. */
final class AdminState {
    private final DeviceCore core;
    private final LinkDriver driver;
    private final LinkAddresses link;
    private final DeviceOutput output;
    private final Napi napi;
    private final LoopLink loop;

    AdminState(DeviceCore core, LinkDriver driver, LinkAddresses link, DeviceOutput output, Napi napi, LoopLink loop) {
        this.core = core;
        this.driver = driver;
        this.link = link;
        this.output = output;
        this.napi = napi;
        this.loop = loop;
    }

    /** {@code __dev_open}. */
    void up() {
        if (!core.isRegistered()) {
            throw new RdmaException(Errno.ENODEV, core.name() + " is " + core.registration() + ": register it first");
        }
        if (!core.state().has(StateBits.PRESENT)) {
            throw new RdmaException(Errno.ENODEV, core.name() + " is detached");
        }
        if (!core.state().isRunning()) {
            open();
        }
    }

    private void open() {
        if (core.linkType() == LinkType.ETHERNET) {
            driver.validateAddress(link.own());
        }
        driver.open();
        loop.exclusively(() -> {
            core.state().change(StateBits.START, true);
            output.start();
        });
        napi.enable();
        // Packets may have arrived while NAPI was disabled.
        napi.schedule();
        link.changed();
        core.tell(NetDeviceEvent.UP);
    }

    /** {@code __dev_close}. A poll and a transmission that have begun end first. */
    void down() {
        if (core.state().isRunning()) {
            core.state().change(StateBits.START, false);
            loop.exclusively(this::close);
            core.tell(NetDeviceEvent.DOWN);
        }
    }

    private void close() {
        napi.disable();
        output.drop(_ -> true);
        loop.drop(core.device(), _ -> true);
        driver.stop();
    }
}
