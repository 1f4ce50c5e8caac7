package io.rdma4j.net.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.ns.NetHost;
import io.rdma4j.packet.SkBuff;
import io.rdma4j.packet.SkBuffPool;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link whose other end is a TAP interface of this machine's Linux: what the device sends, that interface receives, and the
 * other way round. So Linux's own stack is a neighbour, and through its bridges and routes everything that it reaches.
 *
 * <p>The two ends have a link when both are up: the kernel's end sees this one go down, and the other way round. An MTU that one of
 * them gets the other one gets as well, the device no more than the kernel's end had in the beginning.
 *
 * <p>Frames come and go one call each, fragments are gathered by the kernel. Allocates nothing in steady state.
 */
public final class TapDevice extends KernelDevice {
    /** In front of received frames: room for headers, and the IP header on a multiple of 16 ({@code NET_IP_ALIGN}). */
    static final int HEADROOM = 66;

    private final TapFile file;
    private final SkBuffPool pool;
    private final IoVector incoming = new IoVector(1);

    /** The buffer that the next frame is read into. */
    private @Nullable SkBuff vacant;

    private TapDevice(TapSettings settings, TapFile file, HostLink link) {
        super(
                link,
                link.setup(
                        settings.macAddress(),
                        settings.addresses(),
                        Set.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.FRAGLIST)));
        this.file = file;
        // A byte more than a frame may have: one that fills it was longer.
        this.pool = new SkBuffPool(settings.receiveBuffers(), HEADROOM + maxFrameBytes + 1);
    }

    /**
     * Attaches to a TAP interface, or makes one and brings it up, and makes the device, down, in a host of its own. {@link NetDevice#unregister} closes
     * it; an interface that was made then goes, too.
     *
     * @param settings what the device is to be
     * @return the device
     * @throws RdmaException EOPNOTSUPP where there is no Linux or no leave to call it, EPERM or EACCES without the right to attach,
     *     EBUSY if another program is attached, EINVAL for an interface that is no TAP interface, or an address or MTU that
     *     cannot be, EADDRINUSE for the address of the kernel's end
     */
    public static TapDevice open(TapSettings settings) {
        TapDevice driver = unregistered(settings);
        NetHost.standalone(driver.netDevice());
        return driver;
    }

    /**
     * {@return the device, not registered} Otherwise as {@link #open}.
     *
     * @param settings what the device is to be
     */
    public static TapDevice unregistered(TapSettings settings) {
        NativeAccess.require("the TAP device " + settings.interfaceName());
        KernelInterface kernel = new KernelInterface(settings.interfaceName());
        TapFile file = null;
        try {
            boolean isNew = !kernel.exists();
            file = new TapFile(settings.interfaceName());
            file.setCarrier(false);
            prepare(kernel, settings, isNew);
            return new TapDevice(settings, file, new HostLink(kernel, file.descriptor(), KernelInterface::isUp));
        } catch (RuntimeException e) {
            if (file != null) {
                file.close();
            }
            kernel.close();
            throw e;
        }
    }

    private static void prepare(KernelInterface kernel, TapSettings settings, boolean isNew) {
        if (settings.macAddress() != 0 && settings.macAddress() == kernel.macAddress()) {
            throw new RdmaException(
                    Errno.EADDRINUSE,
                    kernel.name() + ": the kernel's end has " + MacAddress.toString(settings.macAddress())
                            + "; ours must have another one");
        }
        if (settings.mtu() != 0 && settings.mtu() != kernel.mtu()) {
            kernel.setMtu(settings.mtu());
        }
        if (isNew) {
            kernel.up();
        }
    }

    @Override
    long write(IoVector frame) {
        return file.write(frame);
    }

    @Override
    public @Nullable SkBuff pollReceive(NetDevice device) {
        SkBuff skb = vacantBuffer();
        if (skb == null) {
            // Consumers are behind: frames wait in the kernel.
            return null;
        }
        long length = file.read(incoming);
        if (length < 0) {
            link.onIdlePoll(device);
            return null;
        }
        if (length > maxFrameBytes) {
            device.stats().countReceiveError();
            return null;
        }
        vacant = null;
        skb.put((int) length);
        return skb;
    }

    private @Nullable SkBuff vacantBuffer() {
        SkBuff skb = vacant;
        if (skb == null) {
            skb = pool.allocate();
            vacant = skb;
            if (skb != null) {
                skb.reserve(HEADROOM);
                incoming.set(0, skb.memory(), HEADROOM, maxFrameBytes + 1L);
            }
        }
        return skb;
    }

    /** The kernel's end gets it, too, if this process may change that. */
    @Override
    public void changeMtu(NetDevice device, int bytes) {
        link.tellMtu(bytes);
    }

    @Override
    public void open(NetDevice device) {
        file.setCarrier(true);
        link.follow(device);
    }

    @Override
    public void stop(NetDevice device) {
        file.setCarrier(false);
        if (vacantBuffer() != null) {
            // What the kernel has sent already is not for whoever brings the device up again.
            long length = file.read(incoming);
            while (length >= 0) {
                length = file.read(incoming);
            }
        }
    }

    @Override
    public void uninit(NetDevice device) {
        file.close();
        link.close();
        SkBuff skb = vacant;
        if (skb != null) {
            vacant = null;
            skb.free();
        }
        pool.close();
    }
}
