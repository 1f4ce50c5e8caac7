// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.linux.call.IoVector;
import io.rdma4j.linux.call.LinuxError;
import io.rdma4j.linux.call.OutgoingFrame;
import io.rdma4j.net.DeviceControl;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceOps;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.transmit.NetdevTx;
import io.rdma4j.net.transmit.TransmitQueues;
import io.rdma4j.packet.SkBuff;

/**
 * Base class of drivers for an Ethernet device over one of this machine's interfaces. Each frame is written with one
 * system call on a descriptor. {@link HostLink} provides carrier and waiting; subclasses receive frames.
 */
abstract class KernelDevice implements NetDeviceOps, DeviceControl {
    final HostLink link;
    final int maxFrameBytes;
    private final OutgoingFrame outgoing;
    private final NetDevice netDevice;

    /** @param setup from {@link HostLink#setup} */
    KernelDevice(HostLink link, NetDeviceSetup setup) {
        this.link = link;
        this.maxFrameBytes = setup.mtu() + LinkType.ETHERNET.overheadBytes();
        this.outgoing = new OutgoingFrame(maxFrameBytes);
        this.netDevice = new NetDevice(setup, this);
    }

    /** Writes a frame to the kernel; returns a negative number of {@link LinuxError} on failure. */
    abstract long write(IoVector frame);

    /** Counts a frame that the kernel has rejected and that is not sent again. */
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
