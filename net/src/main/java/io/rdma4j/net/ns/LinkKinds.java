// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.net.ns;

import io.rdma4j.base.Errno;
import io.rdma4j.base.RdmaException;
import io.rdma4j.net.DeviceNode;
import io.rdma4j.net.LinkCreation;
import io.rdma4j.net.NetDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of software links on a machine, and the operations on links ({@code net/core/rtnetlink.c}). Kinds that
 * modules provide as services are present from the start. Any thread may call it.
 */
public final class LinkKinds {
    private final NetHost host;
    private final Map<String, LinkKind> kinds = new ConcurrentSkipListMap<>();

    LinkKinds(NetHost host) {
        this.host = host;
    }

    /** Registers the kinds that modules provide as services. */
    void load() {
        for (LinkKind kind : ServiceLoader.load(LinkKind.class, LinkKind.class.getClassLoader())) {
            register(kind);
        }
    }

    /**
     * Registers a kind ({@code rtnl_link_register}).
     *
     * @param kind a kind with a unique name
     * @throws RdmaException EEXIST if there is a kind of this name
     */
    public void register(LinkKind kind) {
        if (kinds.putIfAbsent(kind.name(), kind) != null) {
            throw new RdmaException(Errno.EEXIST, "there is a link kind \"" + kind.name() + "\"");
        }
    }

    /**
     * Unregisters a kind and deletes all its devices ({@code rtnl_link_unregister}). No effect if it is not registered.
     *
     * @param kind the kind
     */
    public void unregister(LinkKind kind) {
        host.rtnl().run(() -> {
            if (kinds.remove(kind.name(), kind)) {
                List<NetDevice> leaving = new ArrayList<>();
                host.devices().stream()
                        .filter(device -> device.node().kind().equals(kind.name()))
                        .forEach(device -> kind.dellink(device, leaving));
                host.unregister(leaving);
            }
        });
    }

    /**
     * {@return the kind with a name, or null ({@code rtnl_link_ops_get})}
     *
     * @param name such as {@code vlan}
     */
    public @Nullable LinkKind find(String name) {
        return kinds.get(name);
    }

    /** {@return the names of all kinds, sorted} */
    public List<String> names() {
        return List.copyOf(kinds.keySet());
    }

    /**
     * Creates a link ({@code rtnl_newlink}): the kind creates the device, then configures and registers it. Until then
     * the device is {@link LinkCreation#INITIALIZING} for all observers. If it fails, nothing remains.
     *
     * @param request the requested properties
     * @return the registered device
     * @throws RdmaException EOPNOTSUPP for an unknown kind, EEXIST if the name is in use, EINVAL for a lower device of
     *     another host, or the kind's error
     */
    public NetDevice create(LinkRequest request) {
        LinkKind kind = known(request.kind());
        return host.rtnl().call(() -> {
            checkPlace(request);
            LinkRequest complete = request.withQueues(
                    request.txQueues() == 0 ? kind.txQueues() : request.txQueues(),
                    request.rxQueues() == 0 ? kind.rxQueues() : request.rxQueues());
            NetDevice device = kind.setup(complete);
            DeviceNode node = device.node();
            node.kind(kind.name());
            node.creation(LinkCreation.INITIALIZING);
            try {
                kind.newlink(complete, device);
            } catch (RuntimeException e) {
                device.unregister();
                throw e;
            }
            node.creation(LinkCreation.INITIALIZED);
            return device;
        });
    }

    private void checkPlace(LinkRequest request) {
        NetDevice lower = request.lower();
        boolean here = request.namespace().host() == host;
        if (!here || lower != null && NetNamespace.of(lower).host() != host) {
            throw new RdmaException(Errno.EINVAL, "a link is made on the machine that knows its kind");
        }
        if (request.namespace().find(request.name()) != null) {
            throw new RdmaException(Errno.EEXIST, "another device is called " + request.name());
        }
    }

    /**
     * Changes parameters of a link ({@code changelink}).
     *
     * @param device a registered device
     * @param attributes the new values by name
     * @throws RdmaException EOPNOTSUPP for a device without a kind, or the kind's error
     */
    public void change(NetDevice device, Map<String, String> attributes) {
        host.rtnl().run(() -> known(device.node().kind()).changelink(device, attributes));
    }

    /**
     * Deletes a link and the devices that depend on it ({@code rtnl_dellink}).
     *
     * @param device a registered device
     * @throws RdmaException EOPNOTSUPP for a device without a kind
     */
    public void delete(NetDevice device) {
        host.rtnl().run(() -> {
            List<NetDevice> leaving = new ArrayList<>();
            known(device.node().kind()).dellink(device, leaving);
            host.unregister(leaving);
        });
    }

    private LinkKind known(String name) {
        LinkKind kind = kinds.get(name);
        if (kind == null) {
            throw new RdmaException(
                    Errno.EOPNOTSUPP,
                    "\"" + name + "\" is no kind of link that can be made or changed; those are " + names());
        }
        return kind;
    }

    static RdmaException unknownAttributes(LinkKind kind, Map<String, String> attributes) {
        return new RdmaException(
                Errno.EOPNOTSUPP, "a " + kind.name() + " has no parameters " + attributes.keySet() + " to change");
    }
}
