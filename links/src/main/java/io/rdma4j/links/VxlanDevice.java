// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import io.rdma4j.loop.socket.UdpSocket;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import io.rdma4j.wire.ip.Ethernet;
import io.rdma4j.wire.ip.Vxlan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An Ethernet whose stations are behind endpoints anywhere in an IP network ({@code drivers/net/vxlan}, RFC 7348). Each
 * frame is sent in a UDP datagram of the operating system, behind a header with the number of the network. It needs no
 * privileges and interoperates with the kernel's implementation.
 *
 * <p>A frame to a known station goes to the endpoint from which that station last sent. Any other frame, including
 * multicast and broadcast, goes to all configured endpoints, since the underlay has no multicast. All datagrams leave
 * from one UDP port, where the RFC recommends one for each flow. The IP network fragments datagrams that exceed its
 * MTU; an MTU 50 bytes smaller than that of the IP network (70 with IPv6) avoids this.
 *
 * <p>The device depends on sockets of the system, so it cannot change its namespace.
 */
public final class VxlanDevice implements NetDeviceOps {
    /**
     * After this time without a frame from a station, frames to it are flooded again ({@code FDB_AGE_DEFAULT}): 300 s.
     */
    private static final long AGEING_NS = 300_000_000_000L;

    private static final int RECEIVE_BUFFERS = 256;
    private static final int HEADROOM = 64;

    /** Maximum number of invalid or foreign datagrams that one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    private final int vni;
    private final NanoClock clock;
    private final InetSocketAddress[] remotes;
    private final DatagramChannel channel;
    private final SocketWatch watch = new SocketWatch();
    private final NetDevice device;
    private final SkBuffPool pool;
    private final ByteBuffer out;
    private final MemorySegment outMemory;
    private final StationTable<SocketAddress> stations = new StationTable<>();

    private VxlanDevice(
            NetDeviceSetup setup, int vni, DatagramChannel channel, List<InetSocketAddress> remotes, NanoClock clock) {
        this.vni = vni;
        this.clock = clock;
        this.remotes = remotes.toArray(InetSocketAddress[]::new);
        this.channel = channel;
        this.device = new NetDevice(setup, this);
        device.node().type("vxlan");
        this.out = ByteBuffer.allocateDirect(Vxlan.BYTES + device.maxFrameBytes());
        this.outMemory = MemorySegment.ofBuffer(out.duplicate());
        // One byte more than the longest datagram, because the channel silently truncates a longer one.
        this.pool = new SkBuffPool(RECEIVE_BUFFERS, HEADROOM + Vxlan.BYTES + device.maxFrameBytes() + 1);
    }

    /**
     * Creates a device that the caller registers.
     *
     * @param name or pattern, as {@code vxlan%d}
     * @param mtu largest IP packet in a frame, bytes
     * @param macAddress 48 bits; 0 selects a random one
     * @param vni number of the network, 24 bits
     * @param local address to bind; the usual port is {@link Vxlan#PORT}, port 0: the system chooses
     * @param remotes the other endpoints of the network; further ones are learned from received frames
     * @param clock measures the ageing of stations
     * @return the device, not registered
     * @throws RdmaException EINVAL for a number out of range or a name without address, EADDRINUSE, EADDRNOTAVAIL or
     *     EACCES if the local address cannot be bound, EIO for any other error of the system
     */
    public static VxlanDevice create(
            String name,
            int mtu,
            long macAddress,
            int vni,
            InetSocketAddress local,
            List<InetSocketAddress> remotes,
            NanoClock clock) {
        if (vni < 0 || vni > Vxlan.MAX_VNI) {
            throw new RdmaException(Errno.EINVAL, "network " + vni + " is not in 0.." + Vxlan.MAX_VNI);
        }
        if (local.isUnresolved() || remotes.stream().anyMatch(InetSocketAddress::isUnresolved)) {
            throw new RdmaException(
                    Errno.EINVAL, "a name among " + local + " and " + remotes + " stands for no address");
        }
        NetDeviceSetup setup = new NetDeviceSetup(
                        LinkType.ETHERNET,
                        name,
                        0,
                        mtu,
                        macAddress,
                        List.of(),
                        Set.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.NETNS_LOCAL))
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
        DatagramChannel channel = UdpSocket.openFragmenting(local.getAddress(), local.getPort());
        VxlanDevice made = new VxlanDevice(setup, vni, channel, remotes, clock);
        try {
            made.watch.add(channel, SelectionKey.OP_READ);
        } catch (IOException e) {
            made.device.unregister();
            throw new RdmaException(Errno.EIO, "cannot watch the socket of " + name + ": " + e.getMessage(), e);
        }
        return made;
    }

    /** {@return the network device of the network} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return the local UDP port} */
    public int port() {
        return UdpSocket.port(channel);
    }

    // Transmit

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        int length = skb.len();
        if (length < Ethernet.BYTES || length > device.maxFrameBytes() || !wrap(skb)) {
            from.stats().countTransmitError();
            skb.free();
            return NetdevTx.OK;
        }
        long destination = Ethernet.destination(outMemory, Vxlan.BYTES);
        SocketAddress endpoint = stations.find(destination, clock.nanoTime(), AGEING_NS);
        int sent = 0;
        if (endpoint != null) {
            sent = send(endpoint, length) ? 1 : 0;
        } else {
            for (InetSocketAddress remote : remotes) {
                sent += send(remote, length) ? 1 : 0;
            }
        }
        if (sent > 0) {
            from.stats().countTransmitted(1, length);
        } else {
            from.stats().countTransmitError();
        }
        skb.free();
        return NetdevTx.OK;
    }

    /** False if the memory of a fragment is no longer valid. */
    private boolean wrap(SkBuff skb) {
        Vxlan.write(outMemory, 0, vni);
        try {
            skb.copyBits(0, outMemory, Vxlan.BYTES, skb.len());
            return true;
        } catch (IllegalStateException closed) {
            return false;
        }
    }

    /** False if the system rejects the datagram or its buffer is full: the frame is dropped, as in a network. */
    private boolean send(SocketAddress endpoint, int length) {
        try {
            return channel.send(out.clear().limit(Vxlan.BYTES + length), endpoint) > 0;
        } catch (IOException e) {
            return false;
        }
    }

    // Receive

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        SkBuff frame = pool.allocate();
        if (frame == null) {
            // All buffers are in use: datagrams wait in the socket's receive buffer.
            return null;
        }
        frame.reserve(HEADROOM);
        int most = Vxlan.BYTES + device.maxFrameBytes();
        for (int i = 0; i < SKIPS_PER_POLL; i++) {
            ByteBuffer bytes = frame.bytes();
            bytes.clear().position(HEADROOM).limit(HEADROOM + most + 1);
            SocketAddress source = receive(bytes);
            if (source == null) {
                break;
            }
            int length = bytes.position() - HEADROOM;
            if (length >= Vxlan.BYTES + Ethernet.BYTES && length <= most && isOurs(frame)) {
                frame.put(length);
                learn(frame, source);
                frame.pull(Vxlan.BYTES);
                return frame;
            }
            device.stats().countReceiveError();
        }
        frame.free();
        return null;
    }

    private boolean isOurs(SkBuff frame) {
        return Vxlan.isValid(frame.memory(), HEADROOM) && Vxlan.vni(frame.memory(), HEADROOM) == vni;
    }

    private void learn(SkBuff frame, SocketAddress source) {
        long station = Ethernet.source(frame.memory(), HEADROOM + Vxlan.BYTES);
        if (MacAddress.isValid(station)) {
            stations.learn(station, source, clock.nanoTime());
        }
    }

    private @Nullable SocketAddress receive(ByteBuffer bytes) {
        try {
            return channel.receive(bytes);
        } catch (IOException e) {
            device.stats().countReceiveError();
            return null;
        }
    }

    @Override
    public void destructor(NetDevice released) {
        watch.close();
        UdpSocket.closeQuietly(channel);
        pool.close();
    }

    @Override
    public boolean hasInterrupt() {
        return true;
    }

    @Override
    public void awaitReadable(long timeoutNs) {
        watch.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        watch.wakeup();
    }
}
