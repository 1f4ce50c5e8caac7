// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.feature;

/** The driver of one device, as its features need it. */
public interface FeatureDriver {
    /** {@return true if the driver has VLAN filter operations} */
    boolean hasVlanFilter();

    /**
     * {@return the subset of {@code asked} that the driver supports at present ({@code ndo_fix_features})}
     *
     * @param asked the requested features
     */
    FeatureSet fixFeatures(FeatureSet asked);

    /**
     * Activates a set of features ({@code ndo_set_features}).
     *
     * @param features the features to activate
     * @return {@code features}; if that failed, the features that are active now
     */
    FeatureSet setFeatures(FeatureSet features);
}
