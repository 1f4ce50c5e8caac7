// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Removes features whose prerequisites are missing ({@code netdev_fix_features}). It logs each removal in the category
 * {@value #CATEGORY}: contradictions of a driver as warnings, effects of a user's change as debug messages.
 */
final class FeatureRules {
    static final String CATEGORY = "io.rdma4j.net.features";

    private static final Logger LOG = System.getLogger(CATEGORY);

    private static final FeatureSet IP_CHECKSUMS = FeatureSet.of(NetDeviceFeature.IP_CSUM, NetDeviceFeature.IPV6_CSUM);
    private static final FeatureSet IPV4_OR_ALL = FeatureSet.of(NetDeviceFeature.IP_CSUM, NetDeviceFeature.HW_CSUM);
    private static final FeatureSet IPV6_OR_ALL = FeatureSet.of(NetDeviceFeature.IPV6_CSUM, NetDeviceFeature.HW_CSUM);
    private static final FeatureSet ANY_CHECKSUM = IPV4_OR_ALL.plus(IPV6_OR_ALL);
    private static final FeatureSet SCATTER_GATHER = FeatureSet.of(NetDeviceFeature.SG);

    private FeatureRules() {}

    /** Returns {@code features} without those that lack a prerequisite. */
    static FeatureSet fix(String device, FeatureSet features) {
        FeatureSet fixed = features;
        if (fixed.has(NetDeviceFeature.HW_CSUM) && fixed.hasAny(IP_CHECKSUMS)) {
            LOG.log(Level.WARNING, "{0}: mixed HW and IP checksum settings", device);
            fixed = fixed.minus(IP_CHECKSUMS);
        }
        fixed = drop(device, fixed, FeatureSet.ALL_TSO, "TSO features", SCATTER_GATHER, "SG");
        fixed = drop(device, fixed, FeatureSet.of(NetDeviceFeature.TSO), "TSO features", IPV4_OR_ALL, "CSUM");
        fixed = drop(device, fixed, FeatureSet.of(NetDeviceFeature.TSO6), "TSO6 features", IPV6_OR_ALL, "CSUM");
        fixed = drop(device, fixed, FeatureSet.of(NetDeviceFeature.GSO_UDP_L4), "USO features", ANY_CHECKSUM, "CSUM");
        return drop(device, fixed, FeatureSet.of(NetDeviceFeature.GSO), "GSO", SCATTER_GATHER, "SG");
    }

    private static FeatureSet drop(
            String device, FeatureSet features, FeatureSet dropped, String name, FeatureSet required, String lack) {
        if (!features.hasAny(dropped) || features.hasAny(required)) {
            return features;
        }
        LOG.log(Level.DEBUG, "{0}: dropping {1} for lack of {2}", device, name, lack);
        return features.minus(dropped);
    }
}
