// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.device.NetDeviceStats;

/**
 * A snapshot of a device's counters ({@code rtnl_link_stats64}), 64 bits each, starting at 0.
 *
 * @param rxPackets received packets
 * @param txPackets sent packets
 * @param rxBytes received bytes, with link headers
 * @param txBytes sent bytes, with link headers
 * @param rxErrors received packets that were damaged
 * @param txErrors packets that the link did not accept
 * @param rxDropped received packets without a receiver, or dropped
 * @param txDropped intact packets that were not sent
 * @param multicast received multicast packets
 * @param rxOtherHost received packets for other stations ({@code rx_otherhost_dropped})
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
     * {@return a snapshot of {@code stats} ({@code netdev_stats_to_stats64})}
     *
     * @param stats live counters
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
     * {@return a snapshot of all counters of a device ({@code dev_get_stats})} The driver's counters come from
     * {@code ndo_get_stats64}, else from {@code ndo_get_stats}, else from the device's own counters. The core's drops
     * are added.
     *
     * @param device the device
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
