// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.LinuxError;
import io.rdma4j.linux.call.NativeAccess;
import io.rdma4j.linux.call.ReceiveBuffers;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.feature.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A separate station on the network of one of this machine's interfaces, over a packet socket ({@code packet(7)}).
 * Other stations can reach it. This machine's own stack cannot, because the kernel does not deliver an interface's
 * outgoing frames to it.
 *
 * <p>The device makes the interface promiscuous, so that its link address can differ from the interface's. Some
 * networks, above all wireless and cloud networks, carry only the interface's address. Carrier and MTU are the
 * interface's.
 *
 * <p>Frames longer than the MTU are dropped and counted. Linux delivers such frames when it joins segments (GRO) or
 * receives unsegmented ones from a veth. To avoid them, use {@code ethtool -K INTERFACE gro off} on this interface and
 * {@code gso off tso off} at the other end.
 *
 * <p>One call receives several frames. Frames with fragments are copied into one buffer before they are sent. Allocates
 * nothing in steady state.
 */
public final class PacketSocketDevice extends KernelDevice {
    private final PacketSocket socket;
    private final SkBuffPool pool;
    private final PacketSocketReceiver receiver;

    private PacketSocketDevice(PacketSocketSettings settings, PacketSocket socket, HostLink link) {
        super(
                link,
                link.setup(
                        settings.macAddress(),
                        settings.addresses(),
                        Set.of(
                                NetDeviceFeature.SG,
                                NetDeviceFeature.HIGHDMA,
                                NetDeviceFeature.FRAGLIST,
                                NetDeviceFeature.RXCSUM)));
        this.socket = socket;
        int buffers = settings.receiveBuffers() + PacketSocketReceiver.BATCH;
        this.pool = new SkBuffPool(buffers, ReceiveBuffers.HEADROOM + maxFrameBytes);
        this.receiver = new PacketSocketReceiver(socket, pool, maxFrameBytes);
    }

    /**
     * Opens the socket and creates the device, which is down, in a host of its own. {@link NetDevice#unregister} closes
     * it.
     *
     * @param settings of the device
     * @return the device
     * @throws RdmaException EOPNOTSUPP if the system is not Linux or native access is not permitted, EPERM without
     *     CAP_NET_RAW, ENODEV if there is no such interface, EINVAL for an invalid name or address
     */
    public static PacketSocketDevice open(PacketSocketSettings settings) {
        PacketSocketDevice driver = unregistered(settings);
        NetHost.standalone(driver.netDevice());
        return driver;
    }

    /**
     * {@return the device, not registered} Otherwise as {@link #open}.
     *
     * @param settings of the device
     */
    public static PacketSocketDevice unregistered(PacketSocketSettings settings) {
        NativeAccess.require("a packet socket on " + settings.interfaceName());
        KernelInterface kernel = new KernelInterface(settings.interfaceName());
        PacketSocket socket = null;
        try {
            socket = new PacketSocket(settings.interfaceName(), kernel.index());
            return new PacketSocketDevice(
                    settings, socket, new HostLink(kernel, socket.descriptor(), KernelInterface::isRunning));
        } catch (RuntimeException e) {
            if (socket != null) {
                socket.close();
            }
            kernel.close();
            throw e;
        }
    }

    @Override
    long write(IoVector frame) {
        return socket.send(frame);
    }

    /** A full queue of the interface counts as a drop and not as an error. */
    @Override
    void countRefused(long error) {
        if (error == LinuxError.ENOBUFS) {
            netDevice().stats().countTransmitDrop();
        } else {
            super.countRefused(error);
        }
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        SkBuff skb = receiver.receive(device.stats());
        if (skb == null) {
            link.onIdlePoll(device);
        }
        return skb;
    }

    /** The MTU of the interface does not change; the device's is at most that. */
    @Override
    public void changeMtu(NetDevice device, int bytes) {}

    @Override
    public void open(NetDevice device) {
        // Frames that arrived while the device was down are dropped.
        receiver.purge();
        link.follow(device);
    }

    @Override
    public void uninit(NetDevice device) {
        socket.close();
        link.close();
        receiver.close();
        pool.close();
    }
}
