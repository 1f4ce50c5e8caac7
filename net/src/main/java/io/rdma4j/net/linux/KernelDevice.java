package io.rdma4j.net.linux;

import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.NetdevTx;
import io.rdma4j.net.TransmitQueues;
import io.rdma4j.packet.SkBuff;

/**
 * The driver of an Ethernet device over one of this machine's interfaces: frames go out by one call each on a descriptor of the kernel, and carrier
 * and waiting are those of the {@link HostLink}. How frames come in is for each driver to say.
 */
abstract class KernelDevice implements NetDeviceOps, DeviceControl {
    final HostLink link;
    final int maxFrameBytes;
    private final OutgoingFrame outgoing;
    private final NetDevice netDevice;

    /** @param setup of {@link HostLink#setup} */
    KernelDevice(HostLink link, NetDeviceSetup setup) {
        this.link = link;
        this.maxFrameBytes = setup.mtu() + LinkType.ETHERNET.overheadBytes();
        this.outgoing = new OutgoingFrame(maxFrameBytes);
        this.netDevice = new NetDevice(setup, this);
    }

    /** Hands a frame to the kernel; negative for a number of {@link LinuxError}. */
    abstract long write(IoVector frame);

    /** Counts a frame that the kernel did not take, and never will. */
    void countRefused(long error) {
        netDevice.stats().countTransmitError();
    }

    /** {@return the device over this link} */
    public NetDevice netDevice() {
        return netDevice;
    }

    @Override
    public NetdevTx startXmit(SkBuff skb, NetDevice device) {
        int bytes = skb.len();
        boolean gathered = bytes <= maxFrameBytes && outgoing.gather(skb, 0);
        long result = gathered ? write(outgoing.vector()) : LinuxError.EMSGSIZE;
        if (result == LinuxError.EAGAIN) {
            return NetdevTx.BUSY;
        }
        if (result < 0) {
            countRefused(result);
        } else {
            device.stats().countTransmitted(1, bytes);
        }
        skb.free();
        return NetdevTx.OK;
    }

    @Override
    public boolean hasInterrupt() {
        return true;
    }

    @Override
    public int queueLength() {
        return TransmitQueues.ETHERNET_LENGTH;
    }

    @Override
    public void awaitReadable(long timeoutNs) {
        link.await(timeoutNs, netDevice);
    }

    @Override
    public void wakeup() {
        link.wakeup();
    }
}
