// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.Errno;
import io.rdma4j.base.MacAddress;
import io.rdma4j.base.RdmaException;
import io.rdma4j.linux.call.IoVector;
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
 * One end of a link whose other end is a TAP interface of this machine's kernel. The interface receives what the device
 * sends, and vice versa. So Linux's own stack is a neighbour of the device, and its bridges and routes connect the
 * device to other networks.
 *
 * <p>The link exists while both ends are up: each end has a carrier only while the other is up. A new MTU of one end is
 * applied to the other; that of the device cannot exceed the initial MTU of the kernel's end.
 *
 * <p>Each frame takes one system call. Frames with fragments are copied into one buffer before they are sent. Allocates
 * nothing in steady state.
 */
public final class TapDevice extends KernelDevice {
    private final TapFile file;
    private final SkBuffPool pool;
    private final IoVector incoming = new IoVector(1);

    /** Buffer for the next frame. */
    private @Nullable SkBuff vacant;

    private TapDevice(TapSettings settings, TapFile file, HostLink link) {
        super(
                link,
                link.setup(
                        settings.macAddress(),
                        settings.addresses(),
                        Set.of(NetDeviceFeature.SG, NetDeviceFeature.HIGHDMA, NetDeviceFeature.FRAGLIST)));
        this.file = file;
        // One byte more than the longest frame: if a frame fills the buffer, it was too long.
        this.pool = new SkBuffPool(settings.receiveBuffers(), ReceiveBuffers.HEADROOM + maxFrameBytes + 1);
    }

    /**
     * Attaches to a TAP interface, or creates one and brings it up. Creates the device, which is down, in a host of its
     * own. {@link NetDevice#unregister} closes the device, and an interface that was created is then deleted.
     *
     * @param settings of the device
     * @return the device
     * @throws RdmaException EOPNOTSUPP if the system is not Linux or native access is not permitted, EPERM or EACCES
     *     without permission to attach, EBUSY if another program is attached, EINVAL if the interface is not a TAP
     *     interface, or for an invalid address or MTU, EADDRINUSE for the address of the kernel's end
     */
    public static TapDevice open(TapSettings settings) {
        TapDevice driver = unregistered(settings);
        NetHost.standalone(driver.netDevice());
        return driver;
    }

    /**
     * {@return the device, not registered} Otherwise as {@link #open}.
     *
     * @param settings of the device
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
            // Consumers have not freed their buffers yet: frames wait in the kernel.
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
                skb.reserve(ReceiveBuffers.HEADROOM);
                incoming.set(0, skb.memory(), ReceiveBuffers.HEADROOM, maxFrameBytes + 1L);
            }
        }
        return skb;
    }

    /** Also sets the MTU of the kernel's end, if this process has permission. */
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
            // Frames that the kernel has already sent are dropped, so that they do not arrive when the device is up
            // again.
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
