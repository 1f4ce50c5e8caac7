// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmPath;
import io.rdma4j.cm.Ece;
import io.rdma4j.verbs.values.QpType;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The addresses and options of an id: how it comes to a device and a path. With the lock of rdma_cm, unless public. */
abstract class AddressedId extends IdView {
    private static final int ACK_TIMEOUT_BITS = 5;
    private static final int VENDOR_BITS = 24;

    final ManagerParts parts;
    final ManagerLock lock;
    final IdConnection connection;
    private final PortSpace space;
    private final QpType qpType;
    private final AddressQuery lookup;

    /** True if the program has not given the port. */
    private boolean hasChosenPort;

    /** True if the device has lost the address. */
    private boolean isAddressLost;

    /** Hop limit of the route to the peer. */
    private int hopLimit;

    AddressedId(ManagerParts parts, PortSpace space, QpType qpType) {
        super(IdOptions.of(parts.options.bindV6Only()));
        this.parts = parts;
        lock = parts.lock;
        this.space = space;
        this.qpType = qpType;
        connection = new IdConnection(this);
        lookup = new AddressQuery(this);
    }

    /** Waits for the event of a call on a synchronous id. Without the lock. */
    abstract void complete();

    /** {@return the port space} */
    @Override
    public PortSpace portSpace() {
        return space;
    }

    /** {@return the type of its queue pair: {@code qp_type}} */
    @Override
    public QpType qpType() {
        return qpType;
    }

    /** {@return the address of this end} Corresponds to {@code rdma_get_local_addr} and {@code rdma_get_src_port}. */
    public InetSocketAddress localAddress() {
        return lock.locked(() -> IdAddresses.of(localGid, localPort, boundInterface));
    }

    /**
     * {@return the addresses to which peers can send requests} For a wildcard those of all devices; empty if the id
     * does not listen.
     */
    public List<InetSocketAddress> listenAddresses() {
        return lock.locked(() -> parts.listeners.devices(this).stream()
                .flatMap(each -> each.addresses().stream()
                        .filter(address -> PortTable.isWildcard(localGid)
                                ? !localGid.isIpv4() || address.isIpv4()
                                : address.equals(localGid))
                        .map(address -> IdAddresses.of(address, localPort, each.interfaceIndex())))
                .toList());
    }

    /** {@return the address of the peer} Corresponds to {@code rdma_get_peer_addr} and {@code rdma_get_dst_port}. */
    public InetSocketAddress peerAddress() {
        return lock.locked(() -> IdAddresses.of(peerGid, peerPort, boundInterface));
    }

    // Options: rdma_set_option

    /**
     * Sets the traffic class of the packets: {@code RDMA_OPTION_ID_TOS}.
     *
     * @param typeOfService 8 bits; before the route is resolved
     * @throws RdmaException EINVAL for a value of more than 8 bits
     */
    public void setTypeOfService(int typeOfService) {
        lock.locked(() -> {
            if (typeOfService >>> Byte.SIZE != 0) {
                throw IdErrors.invalid("type of service " + typeOfService + " has more than 8 bits");
            }
            options = options.withTypeOfService(typeOfService);
            return true;
        });
    }

    /**
     * Lets ids share a port that all set this option for: {@code RDMA_OPTION_ID_REUSEADDR}.
     *
     * @param reuse true to share
     * @throws RdmaException EINVAL for a listener; EINVAL for false unless the state is IDLE
     */
    public void setReuseAddress(boolean reuse) {
        lock.locked(() -> {
            boolean isTooLate = state == RdmaIdState.LISTEN || state == RdmaIdState.DESTROYING;
            if (isTooLate || !reuse && state != RdmaIdState.IDLE) {
                throw IdErrors.invalid("the option reuse address = " + reuse + " in state " + state);
            }
            options = options.withReuseAddress(reuse);
            return true;
        });
    }

    /**
     * Decides if an IPv6 wildcard accepts IPv4: {@code RDMA_OPTION_ID_AFONLY}.
     *
     * @param only false to accept it
     * @throws RdmaException EINVAL unless the state is IDLE or ADDR_BOUND
     */
    public void setAddressFamilyOnly(boolean only) {
        lock.locked(() -> {
            if (state != RdmaIdState.IDLE && state != RdmaIdState.ADDR_BOUND) {
                throw IdErrors.invalid("the option address family only in state " + state);
            }
            options = options.withAddressFamilyOnly(only);
            return true;
        });
    }

    /**
     * Sets the ACK timeout of both queue pairs: {@code RDMA_OPTION_ID_ACK_TIMEOUT}.
     *
     * @param timeout 5 bits, exponent of 4.096 µs; 0 for the default
     * @throws RdmaException EINVAL unless the queue pairs have type RC or XRC_INI, or for more than 5 bits
     */
    public void setAckTimeout(int timeout) {
        lock.locked(() -> {
            boolean hasTimeout = qpType == QpType.RC || qpType == QpType.XRC_INI;
            if (!hasTimeout || timeout >>> ACK_TIMEOUT_BITS != 0) {
                throw IdErrors.invalid("ACK timeout " + timeout + " for queue pairs of type " + qpType);
            }
            options = options.withAckTimeout(timeout);
            return true;
        });
    }

    // Addresses

    /**
     * Gives the id an address of this host. Corresponds to {@code rdma_bind_addr}.
     *
     * @param address address and port; a wildcard for all devices, port 0 for any port. A loopback address that
     *     another process has stands for that of this process, see {@link #localAddress}.
     * @throws RdmaException EADDRNOTAVAIL if the address is not one of this host, or it or that of another id with the
     *     port is a wildcard; EADDRINUSE if another id has address and port; ENODEV if no device has the address;
     *     EACCES for a port below 1024 without privilege; EPROTONOSUPPORT for {@link PortSpace#IPOIB}; EINVAL for a
     *     link-local IPv6 address without scope
     */
    public void bindAddress(InetSocketAddress address) {
        lock.locked(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.BIND_ADDRESS);
            boundInterface = IdAddresses.scope(address);
            bind(IdAddresses.gid(address), address.getPort());
            state = next;
            return true;
        });
    }

    final void bind(Gid wanted, int port) {
        if (space == PortSpace.IPOIB) {
            throw new RdmaException(Errno.EPROTONOSUPPORT, "port space " + space + " needs an InfiniBand link");
        }
        Gid address = PortTable.isWildcard(wanted) ? wanted : parts.devices.ownAddress(wanted);
        LocalDevice found = PortTable.isWildcard(address) ? null : parts.deviceAt(address, boundInterface);
        localPort = parts.ports.bind(this, address, port);
        if (found != null) {
            localPort = parts.ports.claim(this, found, address, localPort, port == 0);
        }
        hasChosenPort = port == 0;
        localGid = address;
        device = found;
    }

    /**
     * Finds the device, the own address and the link address of the next hop for a peer. A device on UDP sockets leaves
     * the link address to the operating system. Events: ADDR_RESOLVED, or ADDR_ERROR, after which the id may try again:
     * -ETIMEDOUT if no station has answered, -ENODEV without device. Corresponds to {@code rdma_resolve_addr}.
     *
     * @param source own address, or null for that of the route
     * @param destination address and port of the peer, or address of a multicast group; a wildcard stands for the own
     *     address
     * @param timeoutMs maximum time for the link address
     * @throws RdmaException ENETUNREACH without route, EINVAL if the addresses have different families or scopes, or a
     *     link-local IPv6 address has no scope; errors of {@link #bindAddress}
     */
    public void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        lock.locked(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.RESOLVE_ADDRESS);
            Gid peer = IdAddresses.gid(destination);
            if (source != null && IdAddresses.gid(source).isIpv4() != peer.isIpv4() || timeoutMs < 0) {
                throw IdErrors.invalid("source " + source + ", destination " + destination + ", " + timeoutMs + " ms");
            }
            restrict(source, destination);
            if (state == RdmaIdState.IDLE) {
                bind(
                        source == null ? peer.isIpv4() ? Gid.ofIpv4(0) : Gid.ZERO : IdAddresses.gid(source),
                        source == null ? 0 : source.getPort());
                state = RdmaIdState.ADDR_BOUND;
            }
            ResolvedRoute route;
            try {
                peer = PortTable.isWildcard(peer) ? ownAddress(peer.isIpv4()) : peer;
                route = parts.devices.route(PortTable.isWildcard(localGid) ? null : localGid, peer, boundInterface);
            } catch (RdmaException e) {
                if (e.errno() != Errno.ENODEV) {
                    throw e;
                }
                post(ConnectionEventType.ADDR_ERROR, -e.errno().code());
                return true;
            }
            localPort = parts.ports.claim(this, route.device(), route.source(), localPort, hasChosenPort);
            peerGid = peer;
            peerPort = destination.getPort();
            state = next;
            resolve(route, timeoutMs);
            return true;
        });
        complete();
    }

    /** A link-local address restricts the id to its interface. */
    private void restrict(@Nullable InetSocketAddress source, InetSocketAddress destination) {
        int own = boundInterface;
        if (source != null && state == RdmaIdState.IDLE) {
            own = IdAddresses.scope(source);
        }
        int peer = IdAddresses.scope(destination);
        if (own != 0 && peer != 0 && own != peer) {
            throw IdErrors.invalid("the own address is of interface " + own + ", the peer's of interface " + peer);
        }
        boundInterface = own != 0 ? own : peer;
    }

    private void resolve(ResolvedRoute route, int timeoutMs) {
        try {
            parts.devices.resolve(route, peerGid, timeoutMs, error -> resolved(route, error));
        } catch (RdmaException e) {
            step(RdmaIdTrigger.ADDRESS_FAILED);
            throw e;
        }
    }

    private void resolved(ResolvedRoute route, @Nullable Errno error) {
        if (error != null) {
            if (step(RdmaIdTrigger.ADDRESS_FAILED)) {
                post(ConnectionEventType.ADDR_ERROR, -error.code());
            }
            return;
        }
        Gid portGid = route.device().gidOf(route.source(), peerGid);
        if (portGid == null) {
            resolved(route, Errno.EHOSTUNREACH);
        } else if (step(RdmaIdTrigger.ADDRESS_FOUND)) {
            localGid = route.source();
            peerPortGid = portGid;
            device = route.device();
            hopLimit = route.hopLimit();
            post(ConnectionEventType.ADDR_RESOLVED, 0);
        }
    }

    /** The address that peers of this host use for a wildcard. */
    private Gid ownAddress(boolean isIpv4) {
        if (!PortTable.isWildcard(localGid)) {
            return localGid;
        }
        return parts.devices.all().stream()
                .flatMap(each -> each.addresses().stream())
                .filter(address -> address.isIpv4() == isIpv4)
                .findFirst()
                .orElseThrow(() -> new RdmaException(Errno.ENODEV, "no device has an address of this family"));
    }

    /**
     * Looks up a name. Events: ADDRINFO_RESOLVED, after which {@link #addressInfo} has the results, or ADDRINFO_ERROR.
     * Corresponds to {@code rdma_resolve_addrinfo}.
     *
     * @param node name or address, as in {@link AddressInfo#find}
     * @param service port number or name, as in {@link AddressInfo#find}; null for port 0
     * @param hints what the results should be, with {@link AddressFlag#DNS}
     * @throws RdmaException EBUSY if another lookup is under way; EOPNOTSUPP without DNS in the flags
     */
    public void resolveAddressInfo(@Nullable String node, @Nullable String service, AddressHints hints) {
        parts.devices.runTask(lock.locked(() -> lookup.start(node, service, hints)));
        complete();
    }

    /**
     * {@return the results of {@link #resolveAddressInfo}} Corresponds to {@code rdma_query_addrinfo}.
     *
     * @throws RdmaException ENOENT if there are none
     */
    public List<AddressInfo> addressInfo() {
        return lock.locked(lookup::results);
    }

    /**
     * Finds the path to the peer. On RoCE it follows from the addresses. On InfiniBand the subnet administrator is
     * asked for it. Events: ROUTE_RESOLVED, or ROUTE_ERROR, after which the id may try again: -ETIMEDOUT without an
     * answer, -EINVAL if there is no path. Corresponds to {@code rdma_resolve_route}.
     *
     * @param timeoutMs maximum time; not 0
     * @throws RdmaException ENODEV if the device has lost the address of the id; EAGAIN while the port has no subnet
     *     administrator
     */
    public void resolveRoute(int timeoutMs) {
        operation(() -> {
            RdmaIdState querying = RdmaIdStateTable.call(state, RdmaIdTrigger.RESOLVE_ROUTE);
            if (timeoutMs <= 0) {
                throw IdErrors.invalid("a timeout of " + timeoutMs + " ms");
            }
            SubnetServices subnet = requireDevice().subnet();
            if (subnet == null) {
                connection.makePath(hopLimit);
                state = querying;
                step(RdmaIdTrigger.ROUTE_FOUND);
                post(ConnectionEventType.ROUTE_RESOLVED, 0);
            } else {
                subnet.find(pathQuery(), timeoutMs, this::routeFound);
                state = querying;
            }
        });
        complete();
    }

    private SubnetServices.Query pathQuery() {
        return new SubnetServices.Query(localGid, peerPortGid, space.serviceId(peerPort), options.typeOfService());
    }

    private void routeFound(@Nullable CmPath found, @Nullable Errno error) {
        if (found == null) {
            if (step(RdmaIdTrigger.ROUTE_FAILED)) {
                post(ConnectionEventType.ROUTE_ERROR, -(error == null ? Errno.EINVAL : error).code());
            }
        } else if (step(RdmaIdTrigger.ROUTE_FOUND)) {
            connection.foundPath(found);
            post(ConnectionEventType.ROUTE_RESOLVED, 0);
        }
    }

    /** {@return the path to the peer; null before it is resolved: {@code rdma_cm_id::route.path_rec}} */
    public @Nullable CmPath path() {
        return lock.locked(connection::knownPath);
    }

    /**
     * Sets the path to the peer in place of {@link #resolveRoute}: {@code RDMA_OPTION_IB_PATH}. Event: ROUTE_RESOLVED.
     *
     * @param primary begins at an address of the device
     * @param alternate path after a migration, with MTU and P_Key of the primary path; null for none. A peer that does
     *     not accept it, such as Linux, connects without it.
     * @throws RdmaException EINVAL for a path from another port, or a greater MTU than that of the port
     */
    public void setPath(CmPath primary, @Nullable CmPath alternate) {
        operation(() -> {
            RdmaIdState querying = RdmaIdStateTable.call(state, RdmaIdTrigger.RESOLVE_ROUTE);
            connection.setPath(primary, alternate);
            state = querying;
            step(RdmaIdTrigger.ROUTE_FOUND);
            post(ConnectionEventType.ROUTE_RESOLVED, 0);
        });
        complete();
    }

    // Enhanced connection establishment, for a queue pair that the id does not know

    /**
     * Sets the options of the vendor that the next {@link RdmaId#connect} or {@link RdmaId#accept} tells the peer.
     * Corresponds to {@code rdma_set_local_ece}.
     *
     * @param options with a vendor
     * @throws RdmaException EINVAL without vendor, for a vendor of more than 24 bits, or if the id has a queue pair
     */
    public void setLocalEce(Ece options) {
        lock.locked(() -> {
            checkExternalQp("options of a vendor");
            if (options.vendorId() == 0 || options.vendorId() >>> VENDOR_BITS != 0) {
                throw IdErrors.invalid("vendor " + options.vendorId() + " is not one of 24 bits");
            }
            connection.setLocalEce(options);
            return true;
        });
    }

    /**
     * {@return the options of the vendor in the last message of the peer; {@link Ece#NONE} if there are none}
     * Corresponds to {@code rdma_get_remote_ece}.
     *
     * @throws RdmaException EINVAL if the id has a queue pair
     */
    public Ece remoteEce() {
        return lock.locked(() -> {
            checkExternalQp("options of a vendor");
            return connection.remoteEce();
        });
    }

    /** The program itself moves the queue pair. */
    final void checkExternalQp(String what) {
        ManagedQp own = qp;
        if (own != null) {
            throw IdErrors.invalid(what + ": " + this + " itself manages queue pair " + own.qpn());
        }
    }

    // For the other classes of the package, with the lock

    ManagerLock lock() {
        return lock;
    }

    @Override
    RdmaCmOptions managerOptions() {
        return parts.options;
    }

    @Override
    int newPsn() {
        return parts.newPsn();
    }

    @Override
    final void addressesChanged(LocalDevice changed) {
        if (changed.equals(device) && state != RdmaIdState.DEVICE_REMOVAL) {
            boolean wasLost = isAddressLost;
            isAddressLost = !changed.hasAddress(localGid);
            if (isAddressLost && !wasLost) {
                post(ConnectionEventType.ADDR_CHANGE, 0);
            }
        }
    }

    final void operation(Runnable action) {
        lock.locked(() -> {
            withDevice(action);
            return true;
        });
    }

    final void withDevice(Runnable action) {
        if (device == null) {
            action.run();
        } else {
            device.call(_ -> {
                action.run();
                return true;
            });
        }
    }

    @Override
    public String toString() {
        return "id " + space + " " + address(localGid, localPort) + " -> " + address(peerGid, peerPort) + ", " + state;
    }

    private static String address(Gid gid, int port) {
        return gid.toInetAddress().getHostAddress() + ":" + port;
    }
}
