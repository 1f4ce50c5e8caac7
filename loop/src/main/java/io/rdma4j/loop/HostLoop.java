// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.loop;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.device.NetDeviceEvent;
import io.rdma4j.net.ns.NetHost;
import java.lang.System.Logger.Level;

/**
 * Connects a host with its loop: the loop drives the host's devices from registration to unregistration, and handles
 * changes of their links.
 */
public final class HostLoop implements NetDeviceListener, LoopClient {
    private static final System.Logger LOGGER = System.getLogger(HostLoop.class.getName());

    private final NetHost host;
    private final NetLoop loop;
    private volatile boolean linksChanged;

    private HostLoop(NetHost host, NetLoop loop) {
        this.host = host;
        this.loop = loop;
    }

    /**
     * Lets a loop drive the present and future devices of a host while they are registered, and handle changes of their
     * links. Call it once per host. From now on the owner of the loop must not wait for the RTNL lock of the host.
     *
     * @param host any
     * @param loop a loop that drives none of the devices yet
     */
    public static void connect(NetHost host, NetLoop loop) {
        HostLoop driven = new HostLoop(host, loop);
        host.rtnl().precede(loop::isInside);
        loop.add(driven);
        host.addListener(driven);
        host.deferLinkEvents(driven::ring);
    }

    /** Reports that the link of a device changed. Any thread may call it. */
    private void ring() {
        linksChanged = true;
        loop.ring();
    }

    @Override
    public void onNetDeviceEvent(NetDevice device, NetDeviceEvent event) {
        switch (event) {
            case REGISTER -> loop.add(device);
            case UNREGISTER -> loop.remove(device);
            default -> {}
        }
    }

    @Override
    public boolean work(long nowNs) {
        if (linksChanged) {
            linksChanged = false;
            host.runLinkEvents();
        }
        return false;
    }

    @Override
    public boolean hasMore() {
        return linksChanged;
    }

    @Override
    public boolean isHeldBack() {
        return false;
    }

    @Override
    public boolean uses(Object device) {
        return false;
    }

    /** Link states remain valid after an error elsewhere, so it only logs the error. */
    @Override
    public void breakDown(Throwable error) {
        LOGGER.log(
                Level.ERROR, "a change of links could not be dealt with, or the host's packet path has failed", error);
    }
}
