package io.rdma4j.rxe;

import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.values.EventType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Raises events of the device and its port on all contexts of the device. Any thread. */
final class PortEvents {
    /** In place of a port number, for events of the whole device. */
    static final int NO_PORT = 0;

    private final List<ContextEvents> contexts = new CopyOnWriteArrayList<>();
    private final boolean tellsOfActive;

    PortEvents(DeviceProfile profile) {
        this.tellsOfActive = !profile.withheld().contains(DeviceCapability.PORT_ACTIVE_EVENT);
    }

    void add(ContextEvents context) {
        contexts.add(context);
    }

    void remove(ContextEvents context) {
        contexts.remove(context);
    }

    /** Passes a notice of the port to all contexts. */
    void trap(PortNotice notice) {
        for (ContextEvents context : contexts) {
            context.trap(notice);
        }
    }

    /** @param port {@link #NO_PORT} for an event of the device */
    void tell(EventType event, int port) {
        if (event == EventType.PORT_ACTIVE && !tellsOfActive) {
            return;
        }
        for (ContextEvents context : contexts) {
            context.event(event, port);
        }
    }
}
