// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.transmit;

import io.rdma4j.net.device.DeviceCore;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.skb.EtherType;
import io.rdma4j.net.skb.VlanTags;
import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.ip.Ethernet;

/**
 * Checks whether the active features of a device cover a buffer, so that its driver can get it unchanged
 * ({@code netif_skb_features}).
 */
final class TransmitFeatures {
    private TransmitFeatures() {}

    /** Returns true if the driver needs no software offload for the buffer. Allocates nothing. */
    static boolean cover(DeviceCore core, DeviceFeatures features, TransmitDriver driver, SkBuff skb) {
        FeatureSet active = driver.featuresCheck(skb, features.of(skb));
        return (!skb.isNonlinear() || fragments(active, skb))
                && (!skb.meta().vlanTagPresent() || tag(active, skb))
                && checksum(core, active, skb)
                && (!skb.shinfo().isGso() || train(features, active, skb));
    }

    /** Returns true if the driver inserts the tag, or the core can insert it in place. */
    private static boolean tag(FeatureSet active, SkBuff skb) {
        return inserts(active, skb) || !skb.shinfo().isGso() && VlanTags.canPutInside(skb);
    }

    /** Returns true if the driver inserts the tag: only tags of 802.1Q. The core inserts those of 802.1ad. */
    static boolean inserts(FeatureSet active, SkBuff skb) {
        return active.has(NetDeviceFeature.HW_VLAN_CTAG_TX) && skb.meta().vlanProto() == Ethernet.TYPE_VLAN;
    }

    /** {@code skb_needs_linearize}, {@code illegal_highdma}. */
    private static boolean fragments(FeatureSet active, SkBuff skb) {
        if (skb.shinfo().hasFragList() && !active.has(NetDeviceFeature.FRAGLIST)) {
            return false;
        }
        return skb.shinfo().fragCount() == 0
                || active.has(NetDeviceFeature.SG) && (active.has(NetDeviceFeature.HIGHDMA) || isOnHeap(skb));
    }

    private static boolean isOnHeap(SkBuff skb) {
        for (int i = 0; i < skb.shinfo().fragCount(); i++) {
            if (skb.shinfo().fragMemory(i).isNative()) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@code can_checksum_protocol}. Only devices with {@link PrivateFlag#CARRIES_OFFLOADS} accept a pending offload of
     * a protocol.
     */
    private static boolean checksum(DeviceCore core, FeatureSet active, SkBuff skb) {
        if (skb.shinfo().offload() != null) {
            return active.has(NetDeviceFeature.HW_CSUM) && core.has(PrivateFlag.CARRIES_OFFLOADS);
        }
        return sum(active, skb);
    }

    /** Returns true if the buffer has no pending checksum, or the driver computes it. */
    static boolean sum(FeatureSet active, SkBuff skb) {
        return skb.meta().ipSummed() != ChecksumState.PARTIAL
                || active.has(NetDeviceFeature.HW_CSUM)
                || skb.meta().protocol() == EtherType.IPV4 && active.has(NetDeviceFeature.IP_CSUM)
                || skb.meta().protocol() == EtherType.IPV6 && active.has(NetDeviceFeature.IPV6_CSUM);
    }

    /** {@code skb_gso_ok}, {@code gso_features_check}. */
    private static boolean train(DeviceFeatures features, FeatureSet active, SkBuff skb) {
        NetDeviceFeature needed = switch (skb.shinfo().gsoType()) {
            case NONE -> NetDeviceFeature.GSO;
            case TCPV4 -> NetDeviceFeature.TSO;
            case TCPV6 -> NetDeviceFeature.TSO6;
            case UDP_L4 -> NetDeviceFeature.GSO_UDP_L4;
        };
        return active.has(needed) && skb.len() <= features.gsoMaxSize();
    }
}
