// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net;

import io.rdma4j.base.Gid;
import io.rdma4j.net.feature.FeatureDriver;
import io.rdma4j.net.feature.FeatureSet;
import io.rdma4j.net.receive.ReceiveDriver;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.TransmitDriver;
import io.rdma4j.packet.SkBuff;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Calls of a device's parts to its driver, which gets the device as an argument. */
final class DriverCalls implements TransmitDriver, ReceiveDriver, FeatureDriver, LinkDriver {
    /** Callbacks of a driver that does not implement {@link DeviceControl}. */
    private static final DeviceControl DEFAULTS = new DeviceControl() {};

    private final NetDevice device;
    private final DeviceControl control;
    private final @Nullable VlanFilter filter;
    private volatile NetDeviceOps ops;

    DriverCalls(NetDevice device, NetDeviceOps ops) {
        this.device = device;
        this.ops = ops;
        this.control = ops instanceof DeviceControl driver ? driver : DEFAULTS;
        this.filter = ops instanceof VlanFilter told ? told : null;
    }

    NetDeviceOps ops() {
        return ops;
    }

    void ops(NetDeviceOps next) {
        ops = next;
    }

    DeviceControl control() {
        return control;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb) {
        return ops.startXmit(skb, device);
    }

    @Override
    public boolean flush() {
        return ops.flush(device);
    }

    @Override
    public int dropWaiting(Predicate<? super SkBuff> condition) {
        return ops.dropWaiting(condition);
    }

    @Override
    public FeatureSet featuresCheck(SkBuff skb, FeatureSet features) {
        return ops.featuresCheck(skb, device, features);
    }

    @Override
    public int selectQueue(SkBuff skb) {
        return ops.selectQueue(skb, device);
    }

    @Override
    public void txTimeout(int queue) {
        ops.txTimeout(device, queue);
    }

    @Override
    public @Nullable SkBuff pollReceive() {
        return ops.pollReceive(device);
    }

    @Override
    public boolean isSignalled() {
        return ops.isSignalled();
    }

    @Override
    public boolean hasVlanFilter() {
        return filter != null;
    }

    @Override
    public void addVid(int protocol, int vid) {
        VlanFilter told = filter;
        if (told != null) {
            told.addVid(device, protocol, vid);
        }
    }

    @Override
    public void killVid(int protocol, int vid) {
        VlanFilter told = filter;
        if (told != null) {
            told.killVid(device, protocol, vid);
        }
    }

    @Override
    public FeatureSet fixFeatures(FeatureSet asked) {
        return control.fixFeatures(device, asked);
    }

    @Override
    public FeatureSet setFeatures(FeatureSet features) {
        return control.setFeatures(device, features);
    }

    @Override
    public void open() {
        ops.open(device);
    }

    @Override
    public void stop() {
        ops.stop(device);
    }

    @Override
    public void validateAddress(long mac) {
        control.validateAddress(device, mac);
    }

    @Override
    public void setMacAddress(long mac) {
        control.setMacAddress(device, mac);
    }

    @Override
    public void setRxMode() {
        control.setRxMode(device);
    }

    @Override
    public void joinMulticast(Gid group) {
        ops.joinMulticast(group, device);
    }

    @Override
    public void leaveMulticast(Gid group) {
        ops.leaveMulticast(group, device);
    }
}
