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
 * The kinds of software links that a machine knows, and what users do with links of them ({@code net/core/rtnetlink.c}). Those
 * that modules provide as services are known from the start. Any thread may call.
 */
public final class LinkKinds {
    private final NetHost host;
    private final Map<String, LinkKind> kinds = new ConcurrentSkipListMap<>();

    LinkKinds(NetHost host) {
        this.host = host;
    }

    /** What modules provide. */
    void load() {
        for (LinkKind kind : ServiceLoader.load(LinkKind.class, LinkKind.class.getClassLoader())) {
            register(kind);
        }
    }

    /**
     * From now on links of this kind can be made ({@code rtnl_link_register}).
     *
     * @param kind of a name that no other has
     * @throws RdmaException EEXIST if there is a kind of this name
     */
    public void register(LinkKind kind) {
        if (kinds.putIfAbsent(kind.name(), kind) != null) {
            throw new RdmaException(Errno.EEXIST, "there is a link kind \"" + kind.name() + "\"");
        }
    }

    /**
     * Forgets a kind, and takes all its devices away ({@code rtnl_link_unregister}); nothing happens if it is not known.
     *
     * @param kind one that is known, or any other
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
     * {@return the kind of this name or null ({@code rtnl_link_ops_get})}
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
     * Makes a link ({@code rtnl_newlink}): the kind makes the device, then configures and registers it. Until that is done, the
     * device is {@link LinkCreation#INITIALIZING} to all who see it. If it fails, nothing stays behind.
     *
     * @param request what there shall be
     * @return the device, registered
     * @throws RdmaException EOPNOTSUPP for a kind that is not known, EEXIST if the name is taken, EINVAL for a device of another
     *     host to stand on, and what the kind refuses it with
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
     * @param device registered
     * @param attributes the new values by name
     * @throws RdmaException EOPNOTSUPP for a device that is of no kind, and what the kind refuses
     */
    public void change(NetDevice device, Map<String, String> attributes) {
        host.rtnl().run(() -> known(device.node().kind()).changelink(device, attributes));
    }

    /**
     * Takes a link away, and what the kind says must go with it ({@code rtnl_dellink}).
     *
     * @param device registered
     * @throws RdmaException EOPNOTSUPP for a device that is of no kind
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
