package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceStats;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.ip.IpSettings;
import io.rdma4j.net.ip.IpStack;
import io.rdma4j.net.loop.NetLoop;
import io.rdma4j.net.ns.LoopbackDevice;
import io.rdma4j.packet.SkBuff;
import java.util.List;
import java.util.function.Predicate;

/**
 * The way of packets to the port's own addresses: the loopback interface, as in the kernel, but inside the JVM. Answers to
 * {@code rxe_loopback}. Belongs to the owner of the port loop.
 */
final class PortLoopback {
    private static final int IFINDEX = 1;

    private final NetDevice device;
    private final IpStack stack;

    /**
     * @param outer the port's interface, whose addresses it has
     * @param packets that may wait to be received at most
     */
    PortLoopback(NetDevice outer, NetLoop loop, int packets) {
        this.device = LoopbackDevice.create("lo", IFINDEX, outer.addresses(), packets);
        this.stack = new IpStack(IpSettings.DEFAULT, loop::nowNs);
        stack.add(device);
    }

    /** The interface's addresses have changed. */
    void setAddresses(List<Gid> addresses) {
        device.ip().setGids(addresses);
    }

    /** IP on it, and nothing else. */
    IpStack stack() {
        return stack;
    }

    /** The interface. */
    NetDevice device() {
        return device;
    }

    NetDeviceStats stats() {
        return device.stats();
    }

    /** Takes over a packet or train with its IP header; what there is no room for is lost. */
    void transmit(SkBuff skb) {
        if (device.transmit(skb) == NetdevTx.BUSY) {
            device.stats().countTransmitError();
            skb.free();
        }
    }

    /** Loses what waits and {@code condition} holds of. */
    void dropWaiting(Predicate<SkBuff> condition) {
        device.dropWaiting(condition);
    }

    void close() {
        device.unregister();
        stack.close();
    }
}
