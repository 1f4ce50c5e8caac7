// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.netlab.command.ethtool;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.FeatureReport;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.OffloadGroup;
import io.rdma4j.net.feature.DeviceFeatures;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.netlab.command.shell.ArgumentReader;
import io.rdma4j.netlab.command.shell.ExitCode;
import io.rdma4j.netlab.command.shell.Json;
import io.rdma4j.netlab.command.shell.ShellSession;
import io.rdma4j.netlab.command.shell.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code ethtool -k} and {@code ethtool -K}: shows and changes the features of a device. */
final class EthtoolFeatures {
    private EthtoolFeatures() {}

    static int show(ShellSession session, NetDevice device, boolean json) {
        if (json) {
            session.out().println(Json.text(List.of(members(device))));
        } else {
            session.out().print(FeatureReport.of(device));
        }
        return 0;
    }

    private static Map<String, Object> members(NetDevice device) {
        DeviceFeatures features = device.features();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("ifname", device.name());
        for (NetDeviceFeature feature : NetDeviceFeature.values()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("active", features.has(feature));
            one.put("fixed", features.isFixed(feature));
            one.put("requested", features.wanted().has(feature));
            members.put(feature.ethtoolName(), one);
        }
        return members;
    }

    /** Changes features and prints those that changed in addition to the requested ones. */
    static int change(ShellSession session, NetDevice device, ArgumentReader words) {
        if (!words.hasNext()) {
            throw new UsageException("Command line is not complete: a feature is missing");
        }
        FeatureSet before = device.features().active();
        FeatureSet asked = FeatureSet.NONE;
        while (words.hasNext()) {
            String name = words.next("a feature");
            boolean on = words.onOff(name);
            try {
                asked = asked.plus(set(session, device, name, on));
            } catch (RdmaException e) {
                session.err().println("Cannot change " + name + ": " + e.getMessage());
                session.err().println("Could not change any device features");
                return ExitCode.FAILED;
            }
        }
        FeatureSet after = device.features().active();
        FeatureSet besides = before.minus(after).plus(after.minus(before)).minus(asked);
        if (!besides.isEmpty()) {
            session.out().println("Actual changes:");
            besides.forEach(feature ->
                    session.out().println(feature.ethtoolName() + ": " + (after.has(feature) ? "on" : "off")));
        }
        return 0;
    }

    /** Sets the features of a group by its short name, or one feature by its long name. */
    private static FeatureSet set(ShellSession session, NetDevice device, String name, boolean on) {
        Optional<OffloadGroup> group = OffloadGroup.of(name);
        if (group.isPresent()) {
            session.change(() -> group.get().set(device, on));
            return group.get().features();
        }
        NetDeviceFeature feature = NetDeviceFeature.ofEthtoolName(name)
                .orElseThrow(() -> new UsageException("feature \"" + name + "\" is unknown"));
        session.change(() -> device.features().set(feature, on));
        return FeatureSet.of(feature);
    }
}
