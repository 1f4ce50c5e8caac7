// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import java.util.EnumSet;

/** Formats the features of a device as {@code ethtool -k}: one line for each, groups first. */
public final class FeatureReport {
    private final DeviceFeatures features;
    private final StringBuilder text = new StringBuilder();

    private FeatureReport(NetDevice device) {
        this.features = device.features();
    }

    /**
     * {@return the lines, each with its line end}
     *
     * @param device the device
     */
    public static String of(NetDevice device) {
        FeatureReport report = new FeatureReport(device);
        report.text.append("Features for ").append(device.name()).append(":\n");
        FeatureSet rest = FeatureSet.copyOf(EnumSet.allOf(NetDeviceFeature.class));
        for (OffloadGroup group : OffloadGroup.values()) {
            report.group(group, device);
            rest = rest.minus(group.features());
        }
        rest.forEach(feature -> report.feature("", feature.ethtoolName(), feature));
        return report.text.toString();
    }

    private void group(OffloadGroup group, NetDevice device) {
        if (group.features().size() == 1) {
            feature("", group.longName(), group.features().iterator().next());
            return;
        }
        text.append(group.longName())
                .append(group.isOn(device) ? ": on" : ": off")
                .append(group.isFixed(device) ? " [fixed]\n" : "\n");
        group.features().forEach(feature -> feature("\t", feature.ethtoolName(), feature));
    }

    private void feature(String indent, String name, NetDeviceFeature feature) {
        boolean on = features.has(feature);
        text.append(indent).append(name).append(on ? ": on" : ": off");
        if (features.isFixed(feature)) {
            text.append(" [fixed]");
        } else if (features.wanted().has(feature) != on) {
            text.append(on ? " [requested off]" : " [requested on]");
        }
        text.append('\n');
    }
}
