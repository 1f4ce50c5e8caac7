// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm.host;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.rdmacm.LocalDevice;
import io.rdma4j.verbs.spi.PortInterface;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of an InfiniBand port: those of the network interfaces of its host whose link address has a GID of the
 * port, as {@code cma_acquire_dev_by_src_ip}.
 */
final class SubnetAddresses implements PortAddresses {
    private final LocalDevice device;
    private final Supplier<List<PortInterface>> ofHost;

    /** @param ofHost the network interfaces of the host, at any moment */
    SubnetAddresses(LocalDevice device, Supplier<List<PortInterface>> ofHost) {
        this.device = device;
        this.ofHost = ofHost;
    }

    private List<PortInterface> interfaces() {
        return ofHost.get().stream()
                .filter(each -> device.gidIndex(each.gid()) >= 0)
                .toList();
    }

    private @Nullable PortInterface find(Gid own) {
        return interfaces().stream()
                .filter(each -> each.addresses().contains(own))
                .findFirst()
                .orElse(null);
    }

    private PortInterface at(Gid own) {
        PortInterface found = find(own);
        if (found == null) {
            throw new RdmaException(
                    Errno.ENODEV,
                    "no network interface of " + device.name() + " has the address "
                            + own.toInetAddress().getHostAddress());
        }
        return found;
    }

    @Override
    public List<Gid> list() {
        return interfaces().stream().flatMap(each -> each.addresses().stream()).toList();
    }

    @Override
    public boolean has(Gid address) {
        return find(address) != null;
    }

    @Override
    public int interfaceIndex() {
        List<PortInterface> all = interfaces();
        return all.isEmpty() ? 0 : all.getFirst().interfaceIndex();
    }

    @Override
    public boolean mayReach(Gid own, Gid destination) {
        PortInterface from = find(own);
        return from != null && (has(destination) || from.hasRoute(destination));
    }

    @Override
    public boolean hasRoute(Gid own, Gid peer) {
        return mayReach(own, peer);
    }

    @Override
    public boolean resolve(Gid own, Gid destination) {
        return has(destination) || at(own).resolve(destination);
    }

    @Override
    public @Nullable Gid gidOf(Gid own, Gid destination) {
        PortInterface to = find(destination);
        return to != null ? to.gid() : at(own).gidOf(destination);
    }

    @Override
    public int pkey(Gid own) {
        return at(own).pkey();
    }

    /** The GID of packets from an own address. */
    Gid gid(Gid own) {
        return at(own).gid();
    }
}
