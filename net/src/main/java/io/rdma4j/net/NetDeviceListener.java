package io.rdma4j.net;

/** Follows a device ({@code register_netdevice_notifier}). */
@FunctionalInterface
public interface NetDeviceListener {
    /**
     * Runs on the thread that changed the device, after the change.
     *
     * @param device that was changed
     * @param event what happened to it
     */
    void onNetDeviceEvent(NetDevice device, NetDeviceEvent event);
}
