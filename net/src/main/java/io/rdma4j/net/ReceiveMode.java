package io.rdma4j.net;

/**
 * Notifies the driver of changes of the address filter ({@code dev_set_rx_mode}). If the link has no unicast filter,
 * the device is promiscuous while it has additional unicast addresses.
 */
final class ReceiveMode {
    private final NetDevice device;
    private final DeviceControl driver;

    /** True while the device is promiscuous for this reason ({@code uc_promisc}). */
    private boolean unicastPromiscuous;

    ReceiveMode(NetDevice device, DeviceControl driver) {
        this.device = device;
        this.driver = driver;
    }

    /** Handles a change. The caller holds the monitor of the device's {@link LinkAddresses}. */
    void update() {
        if (!device.isUp()) {
            return;
        }
        LinkAddresses link = device.link();
        boolean must = link.hasUnicast() && !device.flags().has(PrivateFlag.UNICAST_FLT);
        if (must != unicastPromiscuous) {
            unicastPromiscuous = must;
            // This is itself a change and calls this method again.
            link.setPromiscuity(must ? 1 : -1);
            return;
        }
        driver.setRxMode(device);
    }
}
