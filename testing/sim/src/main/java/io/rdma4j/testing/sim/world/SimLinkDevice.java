// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.testing.sim.world;

import io.rdma4j.base.Gid;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffQueue;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The network device of a simulated host. It has no features, so that the core passes finished packets with ICRC: byte
 * for byte those of a wire.
 */
final class SimLinkDevice implements NetDeviceOps {
    private static final long LOCALLY_ADMINISTERED_MAC = 0x0200_0000_0000L;

    private final SimNetwork network;
    private final int index;
    private final SkBuffQueue inbox;
    private final NetDevice netDevice;
    private Runnable arrivalListener = () -> {};

    /**
     * Attaches a device to the network, down.
     *
     * @param index of the host in the network, from 0
     * @param mtuBytes largest IP packet that it sends
     */
    SimLinkDevice(SimNetwork network, int index, int mtuBytes, List<Gid> addresses) {
        this.network = network;
        this.index = index;
        this.inbox = new SkBuffQueue(SimNetwork.BUFFERS);
        this.netDevice = NetHost.standalone(new NetDevice(
                new NetDeviceSetup("sim" + index, 1, mtuBytes, macAddress(index), addresses, Set.of()), this));
    }

    static long macAddress(int index) {
        return LOCALLY_ADMINISTERED_MAC | (index + 1);
    }

    NetDevice netDevice() {
        return netDevice;
    }

    int index() {
        return index;
    }

    /**
     * Sets what is called when a packet has arrived. The loop polls the device in each run, also if it is not
     * scheduled.
     */
    void onArrival(Runnable listener) {
        arrivalListener = listener;
    }

    boolean hasAddress(Gid address) {
        return netDevice.addresses().contains(address);
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        device.stats().countTransmitted(1, skb.len());
        network.send(this, skb);
        skb.free();
        return NetdevTx.OK;
    }

    /** Receives a packet from the network. */
    void arrive(SkBuff skb) {
        if (netDevice.isUp() && inbox.enqueue(skb)) {
            arrivalListener.run();
        } else {
            skb.free();
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        return inbox.dequeue();
    }

    @Override
    public void stop(NetDevice device) {
        inbox.purge();
    }
}
