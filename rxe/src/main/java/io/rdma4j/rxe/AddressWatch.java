// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rxe;

import io.rdma4j.base.Gid;
import io.rdma4j.udp.UdpDriver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Follows the interface below a device while the device is open. The device's sockets and its GID table change with the
 * addresses, and GID_CHANGE is raised ({@code ib_cache_gid_add}). The state of its port changes with the link, and
 * PORT_ERR and PORT_ACTIVE are raised ({@code rxe_set_port_state}). The JDK does not report changes, so a thread looks
 * each second.
 */
final class AddressWatch {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final String netdev;
    private final int port;
    private volatile @Nullable Thread thread;

    /**
     * @param netdev the interface
     * @param port UDP port of the device
     */
    AddressWatch(String netdev, int port) {
        this.netdev = netdev;
        this.port = port;
    }

    /** Returns the addresses of the interface now, with the UDP port; null if there is no such interface any more. */
    @Nullable
    List<InetSocketAddress> addresses() {
        List<InetAddress> now = HostInterfaces.addressesOf(netdev);
        return now == null
                ? null
                : now.stream()
                        .map(address -> new InetSocketAddress(address, port))
                        .toList();
    }

    void start(RxeDevice device) {
        Thread watching = Thread.ofPlatform()
                .daemon()
                .name("rdma4j-addresses-" + device.name())
                .unstarted(() -> run(device));
        thread = watching;
        watching.start();
    }

    /** Ends the thread; does not wait for it. */
    void stop() {
        Thread watching = thread;
        thread = null;
        LockSupport.unpark(watching);
    }

    @SuppressWarnings("ReferenceEquality") // a thread is itself
    private void run(RxeDevice device) {
        while (thread == Thread.currentThread()) {
            LockSupport.parkNanos(this, INTERVAL_NS);
            List<InetSocketAddress> now = addresses();
            boolean up = HostInterfaces.isUp(netdev);
            if (thread == Thread.currentThread()) {
                device.followLink(up);
                if (now != null) {
                    device.follow(now);
                }
            }
        }
    }

    /** Makes the sockets of an open port follow the addresses. Returns the addresses that the port has then. */
    static List<Gid> bind(RxePort open, List<InetSocketAddress> wanted) {
        List<InetAddress> addresses =
                wanted.stream().map(InetSocketAddress::getAddress).toList();
        List<Gid> before = open.device().addresses();
        boolean changed = !addresses.stream().map(Gid::of).toList().equals(before);
        return changed && open.device().driver().ops() instanceof UdpDriver driver
                ? open.netLoop().exclusively(() -> driver.follow(addresses))
                : before;
    }
}
