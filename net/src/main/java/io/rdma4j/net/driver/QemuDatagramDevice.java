package io.rdma4j.net.driver;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.ns.NetHost;
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
 * The other end of a virtual machine's network adapter: QEMU's {@code -netdev dgram} (and the older {@code -netdev
 * socket,udp=,localaddr=}) sends each frame as one UDP datagram to it, and takes one for each.
 *
 * <pre>
 *   ours:   QemuDatagramDevice.open(setup, 127.0.0.1:4000, 127.0.0.1:4001)
 *   QEMU:   -netdev dgram,id=net0,local.type=inet,local.host=127.0.0.1,local.port=4001,\\
 *                   remote.type=inet,remote.host=127.0.0.1,remote.port=4000 -device e1000,netdev=net0
 * </pre>
 *
 * <p>Nobody knows whether there is another end: the carrier is always on. Datagrams from elsewhere do not arrive. Over Unix
 * sockets Java has no datagrams; {@link QemuStreamDevice} takes those.
 */
public final class QemuDatagramDevice implements NetDeviceOps, DeviceControl {
    /** How many frames that are too long one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    private final DatagramChannel channel;
    private final SocketWatch watch = new SocketWatch();
    private final NetDevice device;
    private final SkBuffPool pool;

    private QemuDatagramDevice(NetDeviceSetup setup, DatagramChannel channel) {
        this.channel = channel;
        this.device = NetHost.standalone(new NetDevice(setup, this));
        // One byte more than a frame has, because the channel cuts what is longer silently.
        this.pool = new SkBuffPool(QemuLink.RECEIVE_BUFFERS, QemuLink.HEADROOM + device.maxFrameBytes() + 1);
    }

    /**
     * {@return what the device is to be, as {@link QemuStreamDevice#setup}}
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits, another one than the guest's; 0 draws one by lot
     * @param addresses its IP addresses
     */
    public static NetDeviceSetup setup(String name, int ifindex, int mtu, long macAddress, List<Gid> addresses) {
        return QemuLink.setup(name, ifindex, mtu, macAddress, addresses);
    }

    /**
     * Makes a device, down.
     *
     * @param setup what the device is to be
     * @param local where it receives; port 0: the system chooses
     * @param remote where it sends
     * @return the device, in a host of its own
     * @throws RdmaException EINVAL for a setup of no Ethernet device or a name without address, EADDRINUSE, EADDRNOTAVAIL or
     *     EACCES if the local address cannot be had, EIO for any other refusal of the system
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

    /** {@return the interface over the socket} */
    public NetDevice netDevice() {
        return device;
    }

    /** {@return the UDP port where it receives} */
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
            // Nobody listens there yet, or the frame is too long for a datagram.
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
            // Consumers are behind: frames wait in the socket's buffer.
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

    /** False if nothing was there, or an empty datagram, which carries no frame. */
    private boolean read(ByteBuffer bytes) {
        try {
            return channel.read(bytes) > 0;
        } catch (IOException e) {
            // An earlier frame met no listener (PortUnreachableException).
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

    /** Whatever its buffers have room for: a jumbo frame is as good as any. */
    @Override
    public void changeMtu(NetDevice changed, int bytes) {}

    @Override
    public void wakeup() {
        watch.wakeup();
    }
}
