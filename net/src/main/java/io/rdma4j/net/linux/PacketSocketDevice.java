package io.rdma4j.net.linux;

import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A station of its own on the network that one of this machine's interfaces is plugged into, by a packet socket ({@code packet(7)}). Other
 * stations reach it there; this machine's own stack does not, because the kernel gives no interface what it sends through it.
 *
 * <p>The interface is made promiscuous, so that the device may have another link address than the interface; some networks, wireless ones and
 * those of clouds above all, carry the interface's only. Carrier and MTU are the interface's. Frames longer than its MTU, as Linux shows
 * them when it joins segments (GRO) or gets unsegmented ones from a veth, are dropped and counted: {@code ethtool -K
 * INTERFACE gro off} here, {@code gso off tso off} there.
 *
 * <p>Received frames come several a call, fragments are gathered by the kernel. Allocates nothing in steady state.
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
        this.pool = new SkBuffPool(buffers, TapDevice.HEADROOM + maxFrameBytes);
        this.receiver = new PacketSocketReceiver(socket, pool, maxFrameBytes);
    }

    /**
     * Opens the socket and makes the device, down, in a host of its own. {@link NetDevice#unregister} closes it.
     *
     * @param settings what the device is to be
     * @return the device
     * @throws RdmaException EOPNOTSUPP where there is no Linux or no leave to call it, EPERM without the right to, ENODEV if there is no
     *     such interface, EINVAL for a name or an address that cannot be
     */
    public static PacketSocketDevice open(PacketSocketSettings settings) {
        PacketSocketDevice driver = unregistered(settings);
        NetHost.standalone(driver.netDevice());
        return driver;
    }

    /**
     * {@return the device, not registered} Otherwise as {@link #open}.
     *
     * @param settings what the device is to be
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

    /** A queue of the interface that is full is no error. */
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

    /** Up to that of the interface, which stays as it is. */
    @Override
    public void changeMtu(NetDevice device, int bytes) {}

    @Override
    public void open(NetDevice device) {
        // What came while the device was down was not for it.
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
