// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.hca;

import io.rdma4j.verbs.device.DeviceCapability;
import io.rdma4j.verbs.device.PortNotice;
import io.rdma4j.verbs.spi.ContextEvents;
import io.rdma4j.verbs.values.EventType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Raises events of the device and its port on all contexts of the device. Any thread. */
public final class PortEvents {
    /** In place of a port number, for events of the whole device. */
    public static final int NO_PORT = 0;

    private final List<ContextEvents> contexts = new CopyOnWriteArrayList<>();
    private final boolean tellsOfActive;

    public PortEvents(HcaCapabilities capabilities) {
        this.tellsOfActive = capabilities.has(DeviceCapability.PORT_ACTIVE_EVENT);
    }

    public void add(ContextEvents context) {
        contexts.add(context);
    }

    public void remove(ContextEvents context) {
        contexts.remove(context);
    }

    /** Passes a notice of the port to all contexts. */
    public void trap(PortNotice notice) {
        for (ContextEvents context : contexts) {
            context.trap(notice);
        }
    }

    /** @param port {@link #NO_PORT} for an event of the device */
    public void tell(EventType event, int port) {
        if (event == EventType.PORT_ACTIVE && !tellsOfActive) {
            return;
        }
        for (ContextEvents context : contexts) {
            context.event(event, port);
        }
    }
}
