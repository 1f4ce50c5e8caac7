package io.rdma4j.net.linux;

import io.rdma4j.base.Gid;
import io.rdma4j.net.LinkType;
import io.rdma4j.net.NetDevice;
import io.rdma4j.net.NetDeviceFeature;
import io.rdma4j.net.NetDeviceSetup;
import io.rdma4j.net.PrivateFlag;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The kernel's interface below a device: the device's carrier and MTU follow it, and one can wait for its packets. Any thread
 * may look; one at a time waits.
 */
final class HostLink implements AutoCloseable {
    /** The file or socket that packets come from is the first of those waited for. */
    private static final int MONITOR = 1;

    /** How often one may poll in vain before the state of the kernel's end is looked at: a spinning thread does so each millisecond or two. */
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
     * @param kernel closed with this
     * @param descriptor where packets come from
     * @param hasLink what makes the device's carrier
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
     * What an Ethernet device over this link is to be. Its MTU is the kernel's as it is now: buffers are made for that, so it never gets a larger one.
     *
     * @param macAddress 48 bits; 0 draws one by lot
     */
    NetDeviceSetup setup(long macAddress, List<Gid> addresses, Set<NetDeviceFeature> features) {
        return new NetDeviceSetup(
                        LinkType.ETHERNET, kernel.name(), kernel.index(), largestMtu, macAddress, addresses, features)
                .withPrivateFlags(PrivateFlag.LIVE_ADDR_CHANGE);
    }

    /** A poll has found nothing. By the thread that polls. */
    void onIdlePoll(NetDevice device) {
        if (++idlePolls == POLLS_PER_LOOK) {
            idlePolls = 0;
            look(device);
        }
    }

    /** Brings the device up to date if something has changed, which costs one call. */
    private void look(NetDevice device) {
        if (hasChanged()) {
            follow(device);
        }
    }

    private synchronized boolean hasChanged() {
        return !closed && monitor.hasChanged();
    }

    /** Brings the device up to date. An interface that vanished, or went to another namespace, has no link. */
    void follow(NetDevice device) {
        boolean present;
        do {
            // Not under the lock: the device has one of its own, under which it tells its MTU.
            present = readState();
            device.setCarrier(present);
            device.setMtu(fittingMtu());
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

    /** The device's MTU is to be another one: the interface gets it, too, if this process may do so. */
    synchronized void tellMtu(int bytes) {
        if (bytes != fittingMtu() && kernel.trySetMtu(bytes)) {
            mtu = bytes;
        }
    }

    /** Sleeps until packets may be there, the link has changed, {@link #wakeup} is called, or the time is up. */
    void await(long timeoutNs, NetDevice device) {
        readable.await(timeoutNs);
        if (readable.isReady(MONITOR)) {
            look(device);
        }
    }

    /** Ends the {@link #await} of another thread, or its next one; any thread. */
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
