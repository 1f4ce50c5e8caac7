// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.NetDeviceEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The listeners for events of one device. Any thread may call it. */
final class DeviceListeners {
    private final NetDevice device;
    private final List<NetDeviceListener> listeners = new CopyOnWriteArrayList<>();

    DeviceListeners(NetDevice device) {
        this.device = device;
    }

    void add(NetDeviceListener listener) {
        listeners.add(listener);
    }

    void remove(NetDeviceListener listener) {
        listeners.remove(listener);
    }

    /** Notifies the listeners of the host, then those of the device ({@code call_netdevice_notifiers}). */
    void tell(@Nullable DeviceHome home, NetDeviceEvent event) {
        if (home != null) {
            home.tell(device, event);
        }
        for (NetDeviceListener listener : listeners) {
            listener.onNetDeviceEvent(device, event);
        }
    }
}
