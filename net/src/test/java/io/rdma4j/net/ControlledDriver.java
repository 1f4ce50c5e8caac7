// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.device.NetDeviceStats;
import io.rdma4j.net.feature.FeatureSet;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A driver that records configuration calls and can reject them. */
final class ControlledDriver extends RecordingDriver implements DeviceControl {
    /** Features that it does not support at present. */
    FeatureSet unable = FeatureSet.NONE;
    /** Features that it fails to set. */
    FeatureSet failing = FeatureSet.NONE;

    /** Changeable features that it sets at its initialisation; null for the default. */
    @Nullable
    FeatureSet offered;

    @Nullable
    LinkStats64 stats64;

    @Nullable
    NetDeviceStats stats;

    /** Prefixes of the calls that it rejects. */
    final Set<String> refused = new HashSet<>();

    private void called(String call) {
        calls.add(call);
        if (refused.stream().anyMatch(call::startsWith)) {
            throw new RdmaException(Errno.EIO, call + " is refused");
        }
    }

    @Override
    public void init(NetDevice device) {
        called("init");
        if (offered != null) {
            device.features().offer(offered);
        }
    }

    @Override
    public void validateAddress(NetDevice device, long mac) {
        called("validate");
        EthernetDevices.validateAddress(device, mac);
    }

    @Override
    public void setMacAddress(NetDevice device, long mac) {
        called("mac from " + Long.toHexString(device.macAddress()));
    }

    @Override
    public void changeMtu(NetDevice device, int bytes) {
        called("mtu " + bytes);
    }

    @Override
    public void setRxMode(NetDevice device) {
        called("rx mode");
    }

    @Override
    public FeatureSet fixFeatures(NetDevice device, FeatureSet asked) {
        return asked.minus(unable);
    }

    @Override
    public FeatureSet setFeatures(NetDevice device, FeatureSet features) {
        called("features " + features);
        return features.minus(failing);
    }

    @Override
    public @Nullable LinkStats64 stats64(NetDevice device) {
        return stats64;
    }

    @Override
    public @Nullable NetDeviceStats stats(NetDevice device) {
        return stats;
    }

    @Override
    public String command(NetDevice device, String key, String value) {
        return key.equals("blink")
                ? device.name() + " blinks for " + value
                : DeviceControl.super.command(device, key, value);
    }
}
