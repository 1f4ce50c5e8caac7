package io.rdma4j.net.ns;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.net.loop.LoopClient;
import io.rdma4j.net.loop.NetLoop;
import java.lang.System.Logger.Level;

/** What a host is to its loop: its devices are driven as they come and go, and changes of their links are looked after. */
final class HostLoop implements NetDeviceListener, LoopClient {
    private static final System.Logger LOGGER = System.getLogger(HostLoop.class.getName());

    private final NetHost host;
    private final NetLoop loop;
    private volatile boolean linksChanged;

    HostLoop(NetHost host, NetLoop loop) {
        this.host = host;
        this.loop = loop;
    }

    /** The link of a device changed; any thread. */
    void ring() {
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
    public boolean uses(NetDevice device) {
        return false;
    }

    /** Links have no state that another's error could break. */
    @Override
    public void breakDown(Throwable error) {
        LOGGER.log(
                Level.ERROR, "a change of links could not be dealt with, or the host's packet path has failed", error);
    }
}
