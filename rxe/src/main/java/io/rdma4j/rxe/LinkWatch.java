package io.rdma4j.rxe;

import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceEvent;
import io.rdma4j.net.NetDeviceListener;
import io.rdma4j.verbs.EventType;
import io.rdma4j.verbs.spi.ContextEvents;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Follows the interface of a port and tells every context of the device what that means for it; answers to {@code rxe_notify}.
 * MTU and addresses are not noted here: they are looked up in the interface whenever they matter. Any thread.
 */
final class LinkWatch implements NetDeviceListener {
    /** Of events that concern the whole device. */
    static final int NO_PORT = 0;

    private final List<ContextEvents> contexts = new CopyOnWriteArrayList<>();
    private final AtomicLong linkDowned = new AtomicLong();
    private boolean active;

    /** @param active whether the interface is up and has its carrier */
    LinkWatch(boolean active) {
        this.active = active;
    }

    void add(ContextEvents context) {
        contexts.add(context);
    }

    void remove(ContextEvents context) {
        contexts.remove(context);
    }

    /** Times the interface went down or lost its carrier. */
    long linkDowned() {
        return linkDowned.get();
    }

    @Override
    public void onNetDeviceEvent(NetDevice changed, NetDeviceEvent event) {
        switch (event) {
            case UP, DOWN, CARRIER_CHANGE -> linkMayHaveChanged(changed.isUp() && changed.isCarrierOk());
            case ADDRESS_CHANGE -> tell(EventType.GID_CHANGE, RxeLimits.PORT);
            case UNREGISTER -> tell(EventType.DEVICE_FATAL, NO_PORT);
            default -> {}
        }
    }

    /** An interface that goes up and finds its carrier then is active once, not twice. */
    private synchronized void linkMayHaveChanged(boolean isActive) {
        if (isActive == active) {
            return;
        }
        active = isActive;
        if (!isActive) {
            linkDowned.incrementAndGet();
        }
        tell(isActive ? EventType.PORT_ACTIVE : EventType.PORT_ERR, RxeLimits.PORT);
    }

    /** @param port {@link #NO_PORT} for an event of the device */
    void tell(EventType event, int port) {
        for (ContextEvents context : contexts) {
            context.event(event, port);
        }
    }
}
