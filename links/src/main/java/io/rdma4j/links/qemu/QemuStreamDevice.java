// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.links.qemu;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.NanoClock;
import io.rdma4j.base.RdmaException;
import io.rdma4j.loop.socket.SocketWatch;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Peer of a virtual machine's network adapter: QEMU's {@code -netdev stream} (and the older {@code -netdev
 * socket,connect=} and {@code listen=}) connects to it, over TCP or a Unix socket, without privileges. Two such devices
 * can also be connected to each other.
 *
 * <pre>
 *   ours:   QemuStreamDevice.listen(setup, UnixDomainSocketAddress.of("/tmp/net0"))
 *   QEMU:   -netdev stream,id=net0,server=off,addr.type=unix,addr.path=/tmp/net0 -device e1000,netdev=net0
 * </pre>
 *
 * <p>The device has a carrier while it is connected; it has at most one connection at a time. An invalid frame length
 * closes the connection and counts as a receive error, because frame boundaries are unknown after it. A frame longer
 * than the MTU allows is skipped and counted. The device is busy while the system's buffer and its own are full.
 */
public final class QemuStreamDevice implements NetDeviceOps, DeviceControl {
    /** Maximum number of too long frames that one poll skips. */
    private static final int SKIPS_PER_POLL = 16;

    private final StreamSource source;
    private final SocketWatch watch;
    private final FrameStream stream = new FrameStream();
    private final SkBuffPool pool;
    private final NetDevice device;
    private volatile @Nullable SocketChannel channel;
    private volatile @Nullable SelectionKey key;

    /** True if {@link #stream} may hold frames, for which no socket becomes readable. */
    private volatile boolean unfinished;

    private QemuStreamDevice(NetDeviceSetup setup, StreamSource source, SocketWatch watch) {
        this.source = source;
        this.watch = watch;
        this.device = NetHost.standalone(new NetDevice(setup, this));
        this.pool = new SkBuffPool(QemuLink.RECEIVE_BUFFERS, QemuLink.HEADROOM + device.maxFrameBytes());
        device.setCarrier(false);
    }

    /**
     * {@return the configuration of a device}
     *
     * @param name or a pattern, as {@code eth%d}
     * @param ifindex its number; 0 for the next that is free
     * @param mtu largest IP packet, bytes
     * @param macAddress 48 bits, different from the guest's; 0 selects a random one
     * @param addresses its IP addresses
     */
    public static NetDeviceSetup setup(String name, int ifindex, int mtu, long macAddress, List<Gid> addresses) {
        // The copy into the send buffer gathers fragments.
        return QemuLink.setup(name, ifindex, mtu, macAddress, addresses, NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA);
    }

    /**
     * Creates a device, down, that listens; QEMU connects to it ({@code server=off} on its side).
     *
     * @param setup configuration of the device
     * @param local an Internet address (port 0: the system chooses) or a Unix path, whose file the device creates and
     *     deletes
     * @return the device, in a host of its own
     * @throws RdmaException EINVAL if the setup is not for an Ethernet device, EADDRINUSE, EADDRNOTAVAIL if the system
     *     cannot bind the address
     */
    public static QemuStreamDevice listen(NetDeviceSetup setup, SocketAddress local) {
        SocketWatch watch = new SocketWatch();
        return make(setup, watch, () -> new StreamListener(local, watch));
    }

    /**
     * Creates a device, down, that connects to QEMU ({@code server=on} on its side).
     *
     * @param setup configuration of the device
     * @param remote an Internet address or a Unix path
     * @param retryNs minimum time between two connection attempts after a failed attempt or a lost connection; 0: the
     *     device tries once each time it goes up
     * @param clock measures this time
     * @return the device, in a host of its own
     * @throws RdmaException EINVAL if the setup is not for an Ethernet device, for a name without address, or for a
     *     negative time
     */
    public static QemuStreamDevice connect(NetDeviceSetup setup, SocketAddress remote, long retryNs, NanoClock clock) {
        SocketWatch watch = new SocketWatch();
        return make(setup, watch, () -> new StreamDialer(remote, retryNs, clock, watch));
    }

    private static QemuStreamDevice make(NetDeviceSetup setup, SocketWatch watch, Supplier<StreamSource> source) {
        try {
            QemuLink.check(setup);
            return new QemuStreamDevice(setup, source.get(), watch);
        } catch (RdmaException e) {
            watch.close();
            throw e;
        }
    }

    /** {@return the network device over the connection} */
    public NetDevice netDevice() {
        return device;
    }

    /**
     * {@return the address on which it listens; if port 0 was requested, with the port that the system chose}
     *
     * @throws RdmaException EINVAL if it does not listen, ENODEV once it is unregistered
     */
    public SocketAddress address() {
        if (source instanceof StreamListener listener) {
            return listener.address();
        }
        throw new RdmaException(Errno.EINVAL, device.name() + " calls, it does not listen");
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice from) {
        SocketChannel connected = channel;
        if (connected == null) {
            from.stats().countTransmitDrop();
            skb.free();
            return NetdevTx.OK;
        }
        int length = skb.len();
        if (!stream.hasRoom(length)) {
            flush(connected);
            if (!stream.hasRoom(length)) {
                return NetdevTx.BUSY;
            }
        }
        if (stream.add(skb)) {
            from.timestamps().transmitting(skb);
            from.stats().countTransmitted(1, length);
        } else {
            from.stats().countTransmitError();
        }
        skb.free();
        flush(connected);
        return NetdevTx.OK;
    }

    private void flush(SocketChannel connected) {
        if (!stream.flush(connected)) {
            disconnect();
        } else if (stream.isWaiting()) {
            // A thread that waits for events must wait for the socket to become writable as well.
            watch.wakeup();
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice to) {
        SocketChannel connected = channel;
        if (connected == null) {
            connected = connection();
            if (connected == null) {
                return null;
            }
        }
        if (stream.isWaiting()) {
            flush(connected);
        }
        return channel == null ? null : receive(connected);
    }

    /** Returns the next frame that is not too long; null if there is none. */
    private @Nullable SkBuff receive(SocketChannel connected) {
        SkBuff frame = pool.allocate();
        unfinished = true;
        if (frame == null) {
            // All buffers are in use: frames wait in the stream and in the socket's receive buffer.
            return null;
        }
        frame.reserve(QemuLink.HEADROOM);
        int most = device.maxFrameBytes();
        for (int i = 0; i < SKIPS_PER_POLL; i++) {
            int length = stream.receive(connected, frame, most, device.stats());
            if (length > most) {
                device.stats().countReceiveError();
            } else if (length > 0) {
                return frame;
            } else {
                unfinished = false;
                if (length == FrameStream.BROKEN) {
                    disconnect();
                }
                break;
            }
        }
        frame.free();
        return null;
    }

    private @Nullable SocketChannel connection() {
        SocketChannel connected = source.poll();
        if (connected == null) {
            return null;
        }
        stream.reset();
        try {
            connected.configureBlocking(false);
            if (connected.getRemoteAddress() instanceof InetSocketAddress) {
                connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            key = watch.add(connected, SelectionKey.OP_READ);
        } catch (IOException e) {
            watch.close(connected);
            source.lost();
            return null;
        }
        channel = connected;
        device.setCarrier(true);
        return connected;
    }

    private void disconnect() {
        close();
        source.lost();
    }

    private void close() {
        SocketChannel connected = channel;
        if (connected != null) {
            channel = null;
            key = null;
            unfinished = false;
            watch.close(connected);
            device.setCarrier(false);
        }
    }

    @Override
    public void open(NetDevice opened) {
        source.start();
    }

    @Override
    public void stop(NetDevice stopped) {
        source.stop();
        close();
    }

    @Override
    public void destructor(NetDevice released) {
        source.close();
        watch.close();
        pool.close();
    }

    @Override
    public boolean hasInterrupt() {
        return true;
    }

    @Override
    public void awaitReadable(long timeoutNs) {
        if (unfinished) {
            return;
        }
        SelectionKey ready = key;
        try {
            if (ready != null) {
                ready.interestOps(
                        stream.isWaiting() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            }
        } catch (CancelledKeyException e) {
            // The connection was lost concurrently: do not wait, so that the next poll handles it.
            return;
        }
        watch.await(Math.min(timeoutNs, source.untilDueNs()));
    }

    /** Accepts any MTU that the frame buffers can hold, jumbo frames included. */
    @Override
    public void changeMtu(NetDevice changed, int bytes) {}

    @Override
    public void wakeup() {
        watch.wakeup();
    }
}
