package io.rdma4j.net;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What a driver can do beyond carrying finished linear packets ({@code netdev_features_t}). */
public enum NetDeviceFeature {
    /** Takes buffers with fragments ({@code NETIF_F_SG}). */
    SCATTER_GATHER,
    /** Needs no finished checksums: takes buffers whose offload is still to be done ({@code NETIF_F_HW_CSUM}). */
    CHECKSUM,
    /** Takes trains whole ({@code NETIF_F_GSO}); requires the two above. */
    SEGMENTATION,
    /** The link address may change while the device is up ({@code IFF_LIVE_ADDR_CHANGE}). */
    LIVE_ADDRESS_CHANGE,
    /**
     * The IPv4 identification that a packet had on the wire is not in the header it is received with; there it is 0.
     * Who checks a CRC over it must find it out.
     */
    HIDDEN_IDENTIFICATION,
    /** Carries UDP in IP and nothing else. */
    UDP_ONLY;

    private static final System.Logger LOGGER = System.getLogger(NetDeviceFeature.class.getName());

    /** Removes combinations that make no sense, and says so in the log ({@code netdev_fix_features}). */
    static Set<NetDeviceFeature> fix(String device, Set<NetDeviceFeature> wanted) {
        EnumSet<NetDeviceFeature> features = EnumSet.noneOf(NetDeviceFeature.class);
        features.addAll(wanted);
        if (features.contains(SEGMENTATION)) {
            dropSegmentationWithout(SCATTER_GATHER, device, features);
            dropSegmentationWithout(CHECKSUM, device, features);
        }
        return Collections.unmodifiableSet(features);
    }

    private static void dropSegmentationWithout(
            NetDeviceFeature required, String device, EnumSet<NetDeviceFeature> features) {
        if (!features.contains(required) && features.remove(SEGMENTATION)) {
            LOGGER.log(System.Logger.Level.WARNING, "{0}: dropping SEGMENTATION for lack of {1}", device, required);
        }
    }
}
