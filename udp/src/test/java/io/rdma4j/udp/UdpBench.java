// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.Gid;
import io.rdma4j.ip.IpSettings;
import io.rdma4j.ip.IpStack;
import io.rdma4j.ip.UdpEncapHandler;
import io.rdma4j.net.NetDevice;
import io.rdma4j.packet.PacketOffload;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.testing.fixtures.Packets;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Devices of the Linux UDP driver that exchange packets with an offload, as engines make them. */
final class UdpBench implements AutoCloseable {
    static final PacketOffload COPY = new Copy();

    private static final long TIMEOUT_NS = 5_000_000_000L;

    private final SkBuffPool pool = new SkBuffPool(100, 5000);
    private final List<NetDevice> devices = new ArrayList<>();
    private int sent;

    NetDevice open(String address) {
        NetDevice device = LinuxUdpDevice.open(UdpUnderlaySettings.of("udp0", 1, InetAddress.ofLiteral(address))
                        .withPort(0))
                .netDevice();
        devices.add(device);
        device.up();
        return device;
    }

    /** Opens a device and registers a handler for its port. */
    NetDevice listen(String address, UdpEncapHandler handler) {
        NetDevice device = open(address);
        IpStack stack = new IpStack(IpSettings.DEFAULT, () -> 0);
        stack.add(device);
        stack.udp().register(device.driver().udpSourcePort(), handler);
        return device;
    }

    /** Sends a packet whose bytes all have one value: 1 in the first packet, and one more in each later one. */
    void send(NetDevice from, NetDevice to, int bytes) {
        send(from, to, bytes, COPY);
    }

    void send(NetDevice from, NetDevice to, int bytes, PacketOffload offload) {
        byte[] payload = new byte[bytes];
        Arrays.fill(payload, (byte) ++sent);
        send(from, to, payload, offload);
    }

    /** Allocates nothing. */
    void send(NetDevice from, NetDevice to, byte[] payload, PacketOffload offload) {
        Gid local = from.addresses().getFirst();
        SkBuff skb = Packets.udp(
                pool,
                local,
                from.driver().udpSourcePort(),
                to.addresses().getFirst(),
                to.driver().udpSourcePort(),
                payload);
        skb.shinfo().offload(offload);
        from.transmit(skb);
    }

    /** Polls a device until a condition is true, for at most 5 s. */
    static void receive(NetDevice device, BooleanSupplier done) {
        long endNs = System.nanoTime() + TIMEOUT_NS;
        while (!done.getAsBoolean() && System.nanoTime() < endNs) {
            device.napi().poll(64);
        }
    }

    @Override
    public void close() {
        devices.forEach(NetDevice::unregister);
        assertThat(pool.available()).isEqualTo(pool.count());
        pool.close();
    }

    /** Completes packets by a copy. */
    static class Copy implements PacketOffload {
        @Override
        public int segmentBytes(SkBuff train, int index) {
            return train.len();
        }

        @Override
        public boolean segment(SkBuff train, int index, SkBuff target) {
            int at = target.put(train.len());
            train.copyBits(0, target.memory(), at, train.len());
            return true;
        }
    }
}
