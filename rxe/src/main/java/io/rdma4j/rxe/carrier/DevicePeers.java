// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe.carrier;

import io.rdma4j.base.local.LocalChannel;
import io.rdma4j.base.local.LocalReceiver;
import io.rdma4j.hca.carrier.CarrierPath;
import io.rdma4j.hca.carrier.LocalPeers;
import io.rdma4j.ip.IpStack;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.shm.ShmDriver;
import io.rdma4j.shm.ShmTransport;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The peers of a network device that its driver reaches through shared memory. */
final class DevicePeers implements LocalPeers {
    private final NetDevice device;
    private final IpStack stack;

    DevicePeers(NetDevice device, IpStack stack) {
        this.device = device;
        this.stack = stack;
    }

    /** Returns null if the driver shares no memory, or while other operations are interposed before it. */
    private @Nullable ShmTransport shared() {
        return device.driver().ops() instanceof ShmDriver driver ? driver.sharedMemory() : null;
    }

    @Override
    public int burstBytes(CarrierPath path) {
        ShmTransport shared = shared();
        return shared == null
                ? 0
                : shared.burstBytes(path.source(), path.destination(), ((NetworkPath) path).destinationPort(), device);
    }

    @Override
    public boolean readsInPlace(SkBuff skb, CarrierPath path) {
        ShmTransport shared = shared();
        return shared != null
                && shared.readsInPlace(skb, path.source(), path.destination(), ((NetworkPath) path).destinationPort());
    }

    @Override
    public void resolve(CarrierPath path) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.resolve(path.source(), path.destination(), ((NetworkPath) path).destinationPort());
        }
    }

    @Override
    public @Nullable LocalChannel channel(CarrierPath path) {
        ShmTransport shared = shared();
        return shared == null
                ? null
                : shared.channel(path.source(), path.destination(), ((NetworkPath) path).destinationPort());
    }

    /**
     * {@inheritDoc} The peer's packets arrive through shared memory, or from the UDP port that its driver has bound.
     * The port check is for loopback addresses: any user may use such an address there, but not a port that is bound.
     */
    @Override
    public boolean isForged(SkBuff skb, CarrierPath path) {
        NetworkPath peer = (NetworkPath) path;
        ShmTransport shared = shared();
        return shared != null && shared.isPrivate(peer.source(), peer.destination(), peer.destinationPort())
                || peer.isOverLoopback()
                        && device.driver().udpSourcePort() != 0
                        && NetworkPath.sourcePort(skb) != peer.destinationPort();
    }

    @Override
    public boolean arePassedUnseen() {
        return device.isPassedUnseen() && stack.isPassedUnseen();
    }

    @Override
    public void countSent(long messages, long stores, long packets, long bytes) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.countLinkMessages(messages, stores, 0);
        }
        device.stats().countTransmitted(packets, bytes);
    }

    @Override
    public void countReceived(long messages, long packets, long bytes) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.countLinkMessages(0, 0, messages);
        }
        device.stats().countReceived(packets, bytes);
    }

    @Override
    public void publish(int domain, int rkey, MemorySegment memory, long iova) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.publish(domain, rkey, memory, iova);
        }
    }

    @Override
    public void withdraw(int rkey) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.withdraw(rkey);
        }
    }

    @Override
    public void start(LocalReceiver receiver) {
        receiver(receiver);
    }

    @Override
    public void stop() {
        receiver(null);
    }

    private void receiver(@Nullable LocalReceiver receiver) {
        ShmTransport shared = shared();
        if (shared != null) {
            shared.receiver(receiver);
        }
    }
}
