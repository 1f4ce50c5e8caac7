// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import io.rdma4j.loop.socket.UdpSocket;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Peer of a virtual machine's network adapter: QEMU's {@code -netdev dgram} (and the older {@code -netdev
 * socket,udp=,localaddr=}) exchanges frames with it, one UDP datagram for each frame.
 *
 * <pre>
 *   ours:   QemuDatagramDevice.open(setup, 127.0.0.1:4000, 127.0.0.1:4001)
 *   QEMU:   -netdev dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=4001,\\
 *                   remote.type=inet,remote.host=127.0.0.1,remote.port=4000 -device e1000,netdev=net0
 * </pre>
 *
 * <p>The device cannot detect whether a peer exists: the carrier is always on. The socket is connected, so datagrams
 * from other addresses do not arrive. Java has no datagrams over Unix sockets; use {@link QemuStreamDevice} for those.
 */
public final class QemuDatagramDevice implements NetDeviceOps, DeviceControl {
    /** Maximum number of too long frames that one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    private final DatagramChannel channel;
    private final SocketWatch watch = new SocketWatch();
    private final NetDevice device;
    private final SkBuffPool pool;

    private QemuDatagramDevice(NetDeviceSetup setup, DatagramChannel channel) {
        this.channel = channel;
        this.device = NetHost.standalone(new NetDevice(setup, this));
        // One byte more than the longest frame, because the channel silently truncates a longer datagram.
        this.pool = new SkBuffPool(QemuLink.RECEIVE_BUFFERS, QemuLink.HEADROOM + device.maxFrameBytes() + 1);
    }

    /**
     * {@return the configuration of a device, as {@link QemuStreamDevice#setup}}
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits, different from the guest's; 0 selects a random one
     * @param addresses its IP addresses
     */
    public static NetDeviceSetup setup(String name, int ifindex, int mtu, long macAddress, List<Gid> addresses) {
        return QemuLink.setup(name, ifindex, mtu, macAddress, addresses);
    }

    /**
     * Creates a device, down.
     *
     * @param setup configuration of the device
     * @param local address to bind; port 0: the system chooses
     * @param remote destination of all frames
     * @return the device, in a host of its own
     * @throws RdmaException EINVAL if the setup is not for an Ethernet device or a name has no address, EADDRINUSE,
     *     EADDRNOTAVAIL or EACCES if the local address cannot be bound, EIO for any other error of the system
     */
    public static QemuDatagramDevice open(NetDeviceSetup setup, InetSocketAddress local, InetSocketAddress remote) {
        QemuLink.check(setup);
        if (local.isUnresolved() || remote.isUnresolved()) {
            throw new RdmaException(Errno.EINVAL, (local.isUnresolved() ? local : remote) + " stands for no address");
        }
        DatagramChannel channel = UdpSocket.openFragmenting(local.getAddress(), local.getPort());
        QemuDatagramDevice made = new QemuDatagramDevice(setup, channel);
        try {
            channel.connect(remote);
            made.watch.add(channel, SelectionKey.OP_READ);
        } catch (IOException e) {
            made.device.unregister();
            throw new RdmaException(Errno.EIO, "cannot connect to " + remote + ": " + e.getMessage(), e);
        }
        return made;
    }

    /** {@return the network device over the socket} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return the local UDP port} */
    public int port() {
        return UdpSocket.port(channel);
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        ByteBuffer bytes = skb.bytes();
        bytes.clear().position(skb.data()).limit(skb.tail());
        try {
            if (channel.write(bytes) == 0) {
                return NetdevTx.BUSY;
            }
        } catch (IOException e) {
            // No process listens at the destination yet, or the frame is too long for a datagram.
            return refuse(skb, from);
        }
        from.timestamps().transmitting(skb);
        from.stats().countTransmitted(1, skb.len());
        skb.free();
        return NetdevTx.OK;
    }

    private static NetdevTx refuse(SkBuff skb, NetDevice from) {
        from.stats().countTransmitError();
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        SkBuff frame = pool.allocate();
        if (frame == null) {
            // All buffers are in use: frames wait in the socket's receive buffer.
            return null;
        }
        frame.reserve(QemuLink.HEADROOM);
        int most = device.maxFrameBytes();
        for (int i = 0; i < SKIPS_PER_POLL; i++) {
            ByteBuffer bytes = frame.bytes();
            bytes.clear().position(QemuLink.HEADROOM).limit(QemuLink.HEADROOM + most + 1);
            if (!read(bytes)) {
                break;
            }
            int length = bytes.position() - QemuLink.HEADROOM;
            if (length <= most) {
                frame.put(length);
                return frame;
            }
            device.stats().countReceiveError();
        }
        frame.free();
        return null;
    }

    /** False if there was no datagram, or an empty one, which carries no frame. */
    private boolean read(ByteBuffer bytes) {
        try {
            return channel.read(bytes) > 0;
        } catch (IOException e) {
            // An earlier frame was sent to a port without listener (PortUnreachableException).
            device.stats().countReceiveError();
            return false;
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

    /** Accepts any MTU that the frame buffers can hold, jumbo frames included. */
    @Override
    public void changeMtu(NetDevice changed, int bytes) {}

    @Override
    public void wakeup() {
        watch.wakeup();
    }
}
