package io.rdma4j.net;

/**
 * The counters of a device at one moment ({@code rtnl_link_stats64}), 64 bits each, from 0 upwards.
 *
 * @param rxPackets received
 * @param txPackets sent
 * @param rxBytes received, link header included
 * @param txBytes sent, link header included
 * @param rxErrors that were damaged or came damaged
 * @param txErrors that the link refused
 * @param rxDropped that nobody wanted
 * @param txDropped that were not sent, nothing being wrong with them
 * @param multicast received that were for a group
 * @param rxOtherHost for other stations ({@code rx_otherhost_dropped})
 */
public record LinkStats64(
        long rxPackets,
        long txPackets,
        long rxBytes,
        long txBytes,
        long rxErrors,
        long txErrors,
        long rxDropped,
        long txDropped,
        long multicast,
        long rxOtherHost) {
    /**
     * {@return what {@code stats} says now ({@code netdev_stats_to_stats64})}
     *
     * @param stats counters that go on
     */
    public static LinkStats64 of(NetDeviceStats stats) {
        return new LinkStats64(
                stats.rxPackets(),
                stats.txPackets(),
                stats.rxBytes(),
                stats.txBytes(),
                stats.rxErrors(),
                stats.txErrors(),
                stats.rxDropped(),
                stats.txDropped(),
                stats.multicast(),
                stats.rxOtherHost());
    }

    /**
     * {@return a picture of all counters of a device: the driver's, and the core's drops ({@code dev_get_stats}): what
     * {@code ndo_get_stats64} says; else what {@code ndo_get_stats} says; else what the driver counted in the device's
     * own}
     *
     * @param device whose it is
     */
    public static LinkStats64 of(NetDevice device) {
        DeviceControl driver = device.driver().control();
        NetDeviceStats core = device.stats();
        LinkStats64 own = driver.stats64(device);
        if (own != null) {
            return own.withDrops(core);
        }
        NetDeviceStats legacy = driver.stats(device);
        return legacy == null ? of(core) : of(legacy).withDrops(core);
    }

    private LinkStats64 withDrops(NetDeviceStats core) {
        return new LinkStats64(
                rxPackets,
                txPackets,
                rxBytes,
                txBytes,
                rxErrors,
                txErrors,
                rxDropped + core.rxDropped(),
                txDropped + core.txDropped(),
                multicast,
                rxOtherHost + core.rxOtherHost());
    }
}
