package io.rdma4j.net;

/**
 * Tells the driver which addresses its link is to receive ({@code dev_set_rx_mode}). Where the link cannot be told of single
 * stations, the device listens to all frames as long as it has more than one address.
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

    /** Something has changed; the caller holds the monitor of the device's {@link LinkAddresses}. */
    void update() {
        if (!device.isUp()) {
            return;
        }
        LinkAddresses link = device.link();
        boolean must = link.hasUnicast() && !device.flags().has(PrivateFlag.UNICAST_FLT);
        if (must != unicastPromiscuous) {
            unicastPromiscuous = must;
            // Which is a change and comes back here.
            link.setPromiscuity(must ? 1 : -1);
            return;
        }
        driver.setRxMode(device);
    }
}
