package io.rdma4j.net;

import io.rdma4j.packet.ChecksumState;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.wire.Ethernet;

/** Whether the active features of a device let its driver have a buffer as it is ({@code netif_skb_features}). */
final class TransmitFeatures {
    private TransmitFeatures() {}

    /** True if nothing is left to be done for the driver. Allocates nothing. */
    static boolean cover(NetDevice device, SkBuff skb) {
        FeatureSet active = device.driver()
                .ops()
                .featuresCheck(skb, device, device.features().of(skb));
        return (!skb.isNonlinear() || fragments(active, skb))
                && (!skb.vlanTagPresent() || tag(active, skb))
                && checksum(device, active, skb)
                && (!skb.isGso() || train(device, active, skb));
    }

    /** True if the driver puts the tag into the frame, or the core can where it is. */
    private static boolean tag(FeatureSet active, SkBuff skb) {
        return inserts(active, skb) || !skb.isGso() && VlanTags.canPutInside(skb);
    }

    /** True if the driver puts the tag into the frame: one of 802.1Q, that is; those of 802.1ad are the core's. */
    static boolean inserts(FeatureSet active, SkBuff skb) {
        return active.has(NetDeviceFeature.HW_VLAN_CTAG_TX) && skb.vlanProto() == Ethernet.TYPE_VLAN;
    }

    /** {@code skb_needs_linearize}, {@code illegal_highdma}. */
    private static boolean fragments(FeatureSet active, SkBuff skb) {
        if (skb.hasFragList() && !active.has(NetDeviceFeature.FRAGLIST)) {
            return false;
        }
        return skb.fragCount() == 0
                || active.has(NetDeviceFeature.SG) && (active.has(NetDeviceFeature.HIGHDMA) || isOnHeap(skb));
    }

    private static boolean isOnHeap(SkBuff skb) {
        for (int i = 0; i < skb.fragCount(); i++) {
            if (skb.fragMemory(i).isNative()) {
                return false;
            }
        }
        return true;
    }

    /** {@code can_checksum_protocol}; what a protocol left to an offload of its own is for those who carry it only. */
    private static boolean checksum(NetDevice device, FeatureSet active, SkBuff skb) {
        if (skb.offload() != null) {
            return active.has(NetDeviceFeature.HW_CSUM) && device.flags().has(PrivateFlag.CARRIES_OFFLOADS);
        }
        return sum(active, skb);
    }

    /** True if the driver has no checksum to finish, or can. */
    static boolean sum(NetDevice device, SkBuff skb) {
        return sum(device.features().of(skb), skb);
    }

    private static boolean sum(FeatureSet active, SkBuff skb) {
        return skb.ipSummed() != ChecksumState.PARTIAL
                || active.has(NetDeviceFeature.HW_CSUM)
                || skb.protocol() == EtherType.IPV4 && active.has(NetDeviceFeature.IP_CSUM)
                || skb.protocol() == EtherType.IPV6 && active.has(NetDeviceFeature.IPV6_CSUM);
    }

    /** {@code skb_gso_ok}, {@code gso_features_check}. */
    private static boolean train(NetDevice device, FeatureSet active, SkBuff skb) {
        NetDeviceFeature needed = switch (skb.gsoType()) {
            case NONE -> NetDeviceFeature.GSO;
            case TCPV4 -> NetDeviceFeature.TSO;
            case TCPV6 -> NetDeviceFeature.TSO6;
            case UDP_L4 -> NetDeviceFeature.GSO_UDP_L4;
        };
        return active.has(needed) && skb.len() <= device.features().gsoMaxSize();
    }
}
