// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.NetDeviceEvent;

/** Receives the events of devices ({@code register_netdevice_notifier}). */
@FunctionalInterface
public interface NetDeviceListener {
    /**
     * Handles an event. Called on the thread that changed the device, after the change.
     *
     * @param device the device
     * @param event the event
     */
    void onNetDeviceEvent(NetDevice device, NetDeviceEvent event);
}
