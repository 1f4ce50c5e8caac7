// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.verbs.Host;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** What the operating system knows of the interfaces and routes of devices. Any thread. */
final class SystemRoutes {
    private static final System.Logger LOG = System.getLogger(SystemRoutes.class.getName());

    private SystemRoutes() {}

    /** The index of an interface; 0 if the system does not have it. */
    static int interfaceIndex(String name) {
        try {
            NetworkInterface found = NetworkInterface.getByName(name);
            return found == null ? 0 : found.getIndex();
        } catch (SocketException e) {
            LOG.log(System.Logger.Level.DEBUG, "no list of interfaces", e);
            return 0;
        }
    }

    static boolean isLocal(InetAddress address) {
        return address.isLoopbackAddress() || interfaceOf(address) != null;
    }

    /** The interface that has an address; null if there is none. */
    private static @Nullable NetworkInterface interfaceOf(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address);
        } catch (SocketException e) {
            LOG.log(System.Logger.Level.DEBUG, "no list of interfaces", e);
            return null;
        }
    }

    /**
     * Returns true if packets to a peer leave through the interface of a device. A device whose address is none of the
     * system's is on a network of its own, and a link-local peer on the link of the device.
     */
    static boolean leaves(Host host, LocalDevice device, InetAddress own, InetAddress peer) {
        if (peer instanceof Inet6Address && peer.isLinkLocalAddress()) {
            return true;
        }
        InetAddress source = sourceTo(host, peer);
        if (source != null && device.gidIndex(Gid.of(source)) >= 0) {
            return true;
        }
        NetworkInterface through = interfaceOf(own);
        return through == null || source != null && through.equals(interfaceOf(source));
    }

    private static @Nullable InetAddress sourceTo(Host host, InetAddress peer) {
        try {
            return host.sourceAddressTo(peer);
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "a request without a route back", e);
            return null;
        }
    }
}
