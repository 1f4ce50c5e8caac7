// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.linux;

import io.rdma4j.base.Gid;
import io.rdma4j.linux.call.PollSet;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.device.LinkType;
import io.rdma4j.net.device.PrivateFlag;
import io.rdma4j.net.feature.NetDeviceFeature;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The kernel's interface below a device: the device's carrier and MTU follow it, and a thread can wait for its packets.
 * Any thread may read the state; one thread at a time waits.
 */
final class HostLink implements AutoCloseable {
    /** Index of the monitor among the polled descriptors; index 0 is the file or socket for packets. */
    private static final int MONITOR = 1;

    /**
     * Number of empty polls before the state of the kernel's interface is read: a busy-polling thread does this every 1
     * to 2 ms.
     */
    private static final int POLLS_PER_LOOK = 4096;

    private final KernelInterface kernel;
    private final Predicate<KernelInterface> hasLink;
    private final LinkMonitor monitor;
    private final PollSet readable;
    private final int largestMtu;
    private int mtu;
    private boolean closed;
    private int idlePolls;

    /**
     * @param kernel closed with this object
     * @param descriptor for packets
     * @param hasLink condition for the device's carrier
     */
    HostLink(KernelInterface kernel, int descriptor, Predicate<KernelInterface> hasLink) {
        this.kernel = kernel;
        this.hasLink = hasLink;
        this.monitor = new LinkMonitor(kernel.name());
        this.readable = new PollSet(kernel.name(), descriptor, monitor.descriptor());
        this.mtu = kernel.mtu();
        this.largestMtu = mtu;
    }

    /**
     * Returns the setup of an Ethernet device over this link. Its maximum MTU is the kernel's current MTU, because the
     * buffers have that size.
     *
     * @param macAddress 48 bits; 0 selects a random one
     */
    NetDeviceSetup setup(long macAddress, List<Gid> addresses, Set<NetDeviceFeature> features) {
        return new NetDeviceSetup(
                        LinkType.ETHERNET, kernel.name(), kernel.index(), largestMtu, macAddress, addresses, features)
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
    }

    /** Handles an empty poll. For the polling thread. */
    void onIdlePoll(NetDevice device) {
        if (++idlePolls == POLLS_PER_LOOK) {
            idlePolls = 0;
            look(device);
        }
    }

    /** Updates the device if the interface has changed. The check takes one system call. */
    private void look(NetDevice device) {
        if (hasChanged()) {
            follow(device);
        }
    }

    private synchronized boolean hasChanged() {
        return !closed && monitor.hasChanged();
    }

    /**
     * Updates the device's carrier and MTU. An interface that was deleted, or moved to another namespace, has no
     * carrier. The calling thread may own the loop, so the MTU changes without waiting for the RTNL lock.
     */
    void follow(NetDevice device) {
        boolean present;
        do {
            // Without the lock, because the device reports its MTU to tellMtu under a lock of its own.
            present = readState();
            device.setCarrier(present);
            device.queueWork(() -> device.setMtu(fittingMtu()));
        } while (readState() != present);
    }

    private synchronized boolean readState() {
        if (closed || !kernel.exists()) {
            return false;
        }
        mtu = kernel.mtu();
        return hasLink.test(kernel);
    }

    private synchronized int fittingMtu() {
        return Math.clamp(mtu, NetDeviceSetup.MIN_MTU, largestMtu);
    }

    /** Sets the MTU of the kernel's interface to the device's new one, if this process has permission. */
    synchronized void tellMtu(int bytes) {
        if (bytes != fittingMtu() && kernel.trySetMtu(bytes)) {
            mtu = bytes;
        }
    }

    /**
     * Sleeps until packets may be available, the link has changed, {@link #wakeup} is called, or the time has elapsed.
     */
    void await(long timeoutNs, NetDevice device) {
        readable.await(timeoutNs);
        if (readable.isReady(MONITOR)) {
            look(device);
        }
    }

    /** Ends the {@link #await} of another thread, or its next one. Any thread. */
    void wakeup() {
        readable.wakeup();
    }

    @Override
    public synchronized void close() {
        closed = true;
        readable.close();
        monitor.close();
        kernel.close();
    }
}
