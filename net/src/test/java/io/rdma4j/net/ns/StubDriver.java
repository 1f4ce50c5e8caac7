// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A driver of nothing that writes down what becomes of its devices. */
final class StubDriver implements NetDeviceOps, DeviceControl {
    final List<String> calls = new ArrayList<>();
    boolean refusesInit;
    int arrives;
    private final SkBuffPool pool = new SkBuffPool(4, 64);
    private @Nullable NetDevice lower;

    /** An Ethernet device that is not registered. */
    static NetDevice device(String name) {
        return new StubDriver().make(name, 0);
    }

    /** One that stands on another device and holds it as long as it is there. */
    static NetDevice above(NetDevice lower, String name) {
        StubDriver driver = new StubDriver();
        driver.lower = lower;
        lower.references().hold();
        return driver.make(name, 0);
    }

    /** One of this driver. */
    NetDevice make(String name, int ifindex) {
        return new NetDevice(new NetDeviceSetup(LinkType.ETHERNET, name, ifindex, 1500, 0, List.of(), Set.of()), this);
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        if (arrives == 0) {
            return null;
        }
        arrives--;
        return pool.allocate();
    }

    @Override
    public void init(NetDevice device) {
        calls.add("init");
        if (refusesInit) {
            throw new RdmaException(Errno.EIO, "no card in the slot");
        }
    }

    @Override
    public void open(NetDevice device) {
        calls.add("open");
    }

    @Override
    public void stop(NetDevice device) {
        calls.add("stop");
    }

    @Override
    public void uninit(NetDevice device) {
        calls.add("uninit");
    }

    @Override
    public @Nullable NetDevice lower(NetDevice device) {
        return lower;
    }

    @Override
    public void destructor(NetDevice device) {
        calls.add("destructor");
        if (lower != null) {
            lower.references().put();
        }
    }
}
