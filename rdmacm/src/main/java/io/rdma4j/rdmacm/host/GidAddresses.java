// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Gid;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.device.GidEntry;
import io.rdma4j.verbs.spi.AddressResolver;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses of a RoCE port: its GIDs. */
final class GidAddresses implements PortAddresses {
    private static final int DEFAULT_PKEY = 0xFFFF;

    private final LocalDevice device;
    private final Context context;

    /** Null if the operating system knows the routes and neighbours. */
    private final @Nullable AddressResolver resolver;

    GidAddresses(LocalDevice device, Context context) {
        this.device = device;
        this.context = context;
        resolver = context.extension(AddressResolver.class);
    }

    private List<GidEntry> entries() {
        return context.queryGidTable().stream()
                .filter(entry -> entry.port() == device.port())
                .toList();
    }

    @Override
    public List<Gid> list() {
        return entries().stream().map(GidEntry::gid).toList();
    }

    @Override
    public boolean has(Gid address) {
        return device.gidIndex(address) >= 0;
    }

    @Override
    public int interfaceIndex() {
        AddressResolver own = resolver;
        return own != null ? own.interfaceIndex() : SystemRoutes.interfaceIndex(interfaceName());
    }

    /** The name of the network interface; empty without addresses. */
    private String interfaceName() {
        List<GidEntry> entries = entries();
        return entries.isEmpty() ? "" : entries.getFirst().netDeviceName();
    }

    @Override
    public boolean mayReach(Gid own, Gid destination) {
        AddressResolver known = resolver;
        return known == null || known.hasRoute(destination);
    }

    @Override
    public boolean hasRoute(Gid own, Gid peer) {
        InetAddress ip = peer.toInetAddress();
        if (has(peer) || ip.isLoopbackAddress()) {
            return true;
        }
        AddressResolver known = resolver;
        return known != null
                ? known.hasRoute(peer)
                : SystemRoutes.leaves(context.device().host(), device, own.toInetAddress(), ip);
    }

    @Override
    public boolean resolve(Gid own, Gid destination) {
        AddressResolver known = resolver;
        return known == null || has(destination) || known.resolve(destination);
    }

    @Override
    public Gid gidOf(Gid own, Gid destination) {
        return destination;
    }

    @Override
    public int pkey(Gid own) {
        return DEFAULT_PKEY;
    }
}
