// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.verbs.Context;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpInitAttributes;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.wire.mad.RdmaCmHeader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection, a listener, or a datagram service: what a socket is for TCP. Corresponds to {@code struct
 * rdma_cm_id} and the functions on it. {@link RdmaCm#createId} makes one; requests of peers make further ones. Any
 * thread.
 *
 * <p>The calls are asynchronous: their outcome is an event of the {@link EventChannel}. Calls on a synchronous id,
 * which has no channel of the program, wait for the event. They throw ECONNREFUSED for a rejection, EINTR if the thread
 * is interrupted, and otherwise the errno of the event.
 *
 * <p>A call that the state does not allow throws EINVAL and changes nothing.
 */
public final class RdmaId extends IdView implements AutoCloseable {
    private static final int MAX_BACKLOG = 1024;

    private final ManagerParts parts;
    private final ManagerLock lock;
    private final PortSpace space;
    private final int number;
    private final Condition acknowledgement;
    final IdConnection connection;
    private final IdMulticast multicast;
    private final SyncWait wait;
    private final AddressQuery addresses;

    // Guarded by the lock.
    private EventChannel channel;
    private boolean isSynchronous;
    private int backlog;
    private int waitingRequests;
    private int unacknowledged;
    private @Nullable Object userContext;

    /** True if the program has not given the port. */
    private boolean hasChosenPort;

    /** Hop limit of the route to the peer. */
    private int hopLimit;

    private @Nullable QpEventWatch watch;

    RdmaId(ManagerParts parts, EventChannel channel, PortSpace space, boolean isSynchronous) {
        super(IdOptions.of(parts.options.bindV6Only()));
        this.parts = parts;
        this.lock = parts.lock;
        this.channel = channel;
        this.space = space;
        number = parts.newIdNumber();
        this.isSynchronous = isSynchronous;
        acknowledgement = lock.newCondition();
        connection = new IdConnection(this);
        multicast = new IdMulticast(this);
        wait = new SyncWait(this);
        addresses = new AddressQuery(this);
        channel.addId();
        parts.ids.add(this);
    }

    // What the program may read

    /** {@return the state} */
    public RdmaIdState state() {
        return state;
    }

    /** {@return the port space} */
    @Override
    public PortSpace portSpace() {
        return space;
    }

    /** {@return the channel of its events} */
    public EventChannel channel() {
        return channel;
    }

    /** {@return the address of this end} Corresponds to {@code rdma_get_local_addr} and {@code rdma_get_src_port}. */
    public InetSocketAddress localAddress() {
        return lock.locked(() -> new InetSocketAddress(localGid.toInetAddress(), localPort));
    }

    /**
     * {@return the addresses to which peers can send requests} For a wildcard those of all devices; empty if the id
     * does not listen.
     */
    public List<InetSocketAddress> listenAddresses() {
        return lock.locked(() -> parts.listeners.devices(this).stream()
                .flatMap(each -> each.addresses().stream())
                .filter(address -> PortTable.isWildcard(localGid)
                        ? !localGid.isIpv4() || address.isIpv4()
                        : address.equals(localGid))
                .map(address -> new InetSocketAddress(address.toInetAddress(), localPort))
                .toList());
    }

    /** {@return the address of the peer} Corresponds to {@code rdma_get_peer_addr} and {@code rdma_get_dst_port}. */
    public InetSocketAddress peerAddress() {
        return lock.locked(() -> new InetSocketAddress(peerGid.toInetAddress(), peerPort));
    }

    /** {@return the context of the device, which stays open; null as long as the id has no device: {@code verbs}} */
    public @Nullable Context verbs() {
        LocalDevice own = device;
        return own == null ? null : own.context();
    }

    /** {@return the port of the device, from 1; 0 without device} */
    public int port() {
        LocalDevice own = device;
        return own == null ? 0 : own.port();
    }

    /** {@return the queue pair of {@link #createQp}; null if there is none} */
    public @Nullable QueuePair qp() {
        ManagedQp own = qp;
        return own == null ? null : own.verbs();
    }

    /** {@return the object of {@link #setUserContext}, at first that of the listener} */
    public @Nullable Object userContext() {
        return userContext;
    }

    /**
     * Attaches an object of the program.
     *
     * @param object any object
     */
    public void setUserContext(@Nullable Object object) {
        userContext = object;
    }

    // Options: rdma_set_option

    /**
     * Sets the traffic class of the packets: {@code RDMA_OPTION_ID_TOS}.
     *
     * @param typeOfService 8 bits; before the route is resolved
     */
    public void setTypeOfService(int typeOfService) {
        lock.locked(() -> {
            options = options.withTypeOfService(typeOfService & 0xFF);
            return true;
        });
    }

    /**
     * Lets ids share a port that all set this option for: {@code RDMA_OPTION_ID_REUSEADDR}.
     *
     * @param reuse true to share
     * @throws RdmaException EINVAL for a listener
     */
    public void setReuseAddress(boolean reuse) {
        lock.locked(() -> {
            if (state == RdmaIdState.LISTEN) {
                throw IdErrors.invalid("the option reuse address in state " + state);
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
     * @throws RdmaException EINVAL for an id of datagrams
     */
    public void setAckTimeout(int timeout) {
        lock.locked(() -> {
            if (space.isDatagram() || timeout < 0 || timeout > 31) {
                throw IdErrors.invalid("ACK timeout " + timeout + " of an id in port space " + space);
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
     *     EACCES
     *     for a port below 1024 without privilege; EPROTONOSUPPORT for {@link PortSpace#IPOIB}
     */
    public void bindAddress(InetSocketAddress address) {
        lock.locked(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.BIND_ADDRESS);
            bind(gid(address), address.getPort());
            state = next;
            return true;
        });
    }

    private static Gid gid(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw IdErrors.invalid("the name " + address.getHostString() + " is not resolved");
        }
        return Gid.of(ip);
    }

    private void bind(Gid wanted, int port) {
        if (space == PortSpace.IPOIB) {
            throw new RdmaException(Errno.EPROTONOSUPPORT, "port space " + space + " needs an InfiniBand link");
        }
        Gid address = PortTable.isWildcard(wanted) ? wanted : parts.devices.ownAddress(wanted);
        LocalDevice found = PortTable.isWildcard(address) ? null : parts.deviceAt(address);
        localPort = parts.ports.bind(this, address, port);
        if (found != null) {
            localPort = parts.ports.claim(this, found, address, localPort, port == 0);
        }
        hasChosenPort = port == 0;
        localGid = address;
        device = found;
    }

    /**
     * Finds the device and the own address for a peer. Events: ADDR_RESOLVED or ADDR_ERROR. Corresponds to
     * {@code rdma_resolve_addr}.
     *
     * @param source own address, or null for that of the route
     * @param destination address and port of the peer, or address of a multicast group
     * @param timeoutMs maximum time; the routes of this host need none
     * @throws RdmaException ENETUNREACH without route, EINVAL if the addresses have different families; errors of
     *     {@link #bindAddress}
     */
    public void resolveAddress(@Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
        lock.locked(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.RESOLVE_ADDRESS);
            Gid peer = gid(destination);
            if (source != null && gid(source).isIpv4() != peer.isIpv4() || timeoutMs < 0) {
                throw IdErrors.invalid("source " + source + ", destination " + destination + ", " + timeoutMs + " ms");
            }
            if (state == RdmaIdState.IDLE) {
                bind(
                        source == null ? peer.isIpv4() ? Gid.ofIpv4(0) : Gid.ZERO : gid(source),
                        source == null ? 0 : source.getPort());
                state = RdmaIdState.ADDR_BOUND;
            }
            ResolvedRoute route;
            try {
                route = parts.devices.route(PortTable.isWildcard(localGid) ? null : localGid, peer);
            } catch (RdmaException e) {
                if (e.errno() != Errno.ENODEV) {
                    throw e;
                }
                post(ConnectionEventType.ADDR_ERROR, -e.errno().code());
                return true;
            }
            localPort = parts.ports.claim(this, route.device(), route.source(), localPort, hasChosenPort);
            state = next;
            peerGid = peer;
            peerPort = destination.getPort();
            localGid = route.source();
            device = route.device();
            hopLimit = route.hopLimit();
            step(RdmaIdTrigger.ADDRESS_FOUND);
            post(ConnectionEventType.ADDR_RESOLVED, 0);
            return true;
        });
        complete();
    }

    /**
     * Looks up a name. Events: ADDRINFO_RESOLVED, after which {@link #addressInfo} has the results, or ADDRINFO_ERROR.
     * Corresponds to {@code rdma_resolve_addrinfo}.
     *
     * @param node name or address, as in {@link AddressInfo#find}
     * @param service port number in decimal digits; null for port 0
     * @param hints what the results should be, with {@link AddressFlag#DNS}
     * @throws RdmaException EBUSY if another lookup is under way; EOPNOTSUPP without DNS in the flags
     */
    public void resolveAddressInfo(@Nullable String node, @Nullable String service, AddressHints hints) {
        parts.devices.runTask(lock.locked(() -> addresses.start(node, service, hints)));
        complete();
    }

    /**
     * {@return the results of {@link #resolveAddressInfo}} Corresponds to {@code rdma_query_addrinfo}.
     *
     * @throws RdmaException ENOENT if there are none
     */
    public List<AddressInfo> addressInfo() {
        return lock.locked(addresses::results);
    }

    /**
     * Finds the path to the peer. Event: ROUTE_RESOLVED. On RoCE the path follows from the addresses. Corresponds to
     * {@code rdma_resolve_route}.
     *
     * @param timeoutMs maximum time; not 0
     */
    public void resolveRoute(int timeoutMs) {
        operation(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.RESOLVE_ROUTE);
            if (timeoutMs <= 0) {
                throw IdErrors.invalid("a timeout of " + timeoutMs + " ms");
            }
            state = next;
            connection.makePath(hopLimit);
            step(RdmaIdTrigger.ROUTE_FOUND);
            post(ConnectionEventType.ROUTE_RESOLVED, 0);
        });
        complete();
    }

    // Queue pair

    /**
     * Creates the queue pair of the id. One of type RC goes to INIT, one of type UD to RTS. The id moves it on, and
     * closes it with itself. Corresponds to {@code rdma_create_qp}.
     *
     * @param pd domain of a context of the id's device
     * @param attributes type, completion queues, sizes
     * @return the queue pair
     * @throws RdmaException EINVAL if there is one already, no device yet, or the domain belongs to another device;
     *     errors of {@link ProtectionDomain#createQp}
     */
    public QueuePair createQp(ProtectionDomain pd, QpInitAttributes attributes) {
        return lock.locked(() -> {
            Context own = verbs();
            if (own == null || !own.device().equals(pd.context().device())) {
                throw IdErrors.invalid(this + " and " + pd + " belong to different devices");
            }
            checkNoQp();
            QueuePair created = pd.createQp(attributes);
            try {
                attach(new VerbsQp(created));
            } catch (RdmaException e) {
                created.close();
                throw e;
            }
            watch = new QpEventWatch(created, requireDevice(), () -> lock.defer(this::communicationEstablished));
            return created;
        });
    }

    private void checkNoQp() {
        if (qp != null) {
            throw IdErrors.invalid(this + " has queue pair " + qp.qpn() + " already");
        }
    }

    void attach(ManagedQp created) {
        checkNoQp();
        connection.initialize(created);
        qp = created;
    }

    /** Closes the queue pair; does nothing without one. Corresponds to {@code rdma_destroy_qp}. */
    public void destroyQp() {
        lock.locked(() -> {
            if (watch != null) {
                watch.close();
                watch = null;
            }
            if (qp != null) {
                multicast.detachAll(qp);
                qp.close();
                qp = null;
            }
            return true;
        });
    }

    /**
     * {@return the attributes for a state of a queue pair that the id does not know} Corresponds to
     * {@code rdma_init_qp_attr}.
     *
     * @param next INIT, RTR or RTS
     * @throws RdmaException EINVAL if they are not known yet, or no longer
     */
    public QpAttributes initQpAttributes(QpState next) {
        return lock.locked(() -> connection.initQpAttributes(next));
    }

    // Connections

    /**
     * Waits for requests. Event: CONNECT_REQUEST for each. Corresponds to {@code rdma_listen}.
     *
     * @param maxWaiting maximum number of requests whose event the program has not fetched; 1024 if it is not positive
     *     or greater
     * @throws RdmaException EADDRINUSE, EADDRNOTAVAIL if another id uses the port
     */
    public void listen(int maxWaiting) {
        lock.locked(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.LISTEN);
            if (state == RdmaIdState.IDLE) {
                bind(Gid.ofIpv4(0), 0);
                state = RdmaIdState.ADDR_BOUND;
            }
            parts.ports.listen(this);
            backlog = maxWaiting <= 0 ? MAX_BACKLOG : Math.min(maxWaiting, MAX_BACKLOG);
            parts.listeners.add(this);
            state = next;
            return true;
        });
    }

    /**
     * {@return the id of the next request to a synchronous listener, which is synchronous, too} Corresponds to
     * {@code rdma_get_request}.
     *
     * @throws RdmaException EINVAL unless the id is synchronous and listens
     */
    public RdmaId getRequest() {
        if (!isSynchronous || state != RdmaIdState.LISTEN) {
            throw IdErrors.invalid("requests of " + this + (isSynchronous ? "" : ", which has an event channel"));
        }
        return wait.request();
    }

    /**
     * {@return the CONNECT_REQUEST that made this id of a synchronous listener, or the last event of a call on a
     * synchronous id: {@code rdma_cm_id::event}; null if there is none}
     */
    public @Nullable ConnectionEvent lastEvent() {
        return wait.last();
    }

    /**
     * Requests the connection, or the queue pair of the datagram service. Events: ESTABLISHED, or CONNECT_RESPONSE
     * without queue pair on the id; REJECTED, UNREACHABLE, CONNECT_ERROR. Corresponds to {@code rdma_connect}.
     *
     * @param parameters of the connection
     * @throws RdmaException EINVAL for more private data or READs than possible
     */
    public void connect(ConnectParameters parameters) {
        operation(() -> {
            RdmaIdState next = RdmaIdStateTable.call(state, RdmaIdTrigger.CONNECT);
            connection.connect(parameters);
            state = next;
        });
        complete();
    }

    /**
     * Accepts the request that made this id. Event: ESTABLISHED. Corresponds to {@code rdma_accept}.
     *
     * @param parameters of the connection; {@link ConnectParameters#MAXIMUM} is what both ends can
     * @throws RdmaException EINVAL for more private data or READs than possible; errors of the queue pair, after which
     *     the program rejects the request or closes the id
     */
    public void accept(ConnectParameters parameters) {
        operation(() -> {
            RdmaIdStateTable.call(state, RdmaIdTrigger.ACCEPT);
            connection.accept(parameters);
        });
        if (!space.isDatagram()) {
            complete();
        }
    }

    /**
     * Rejects the request that made this id. Corresponds to {@code rdma_reject}.
     *
     * @param privateData for the peer: at most 148 bytes, 136 for a datagram service
     * @throws RdmaException EINVAL for an id without request, or too much data
     */
    public void reject(MemorySegment privateData) {
        operation(() -> connection.reject(privateData));
    }

    /**
     * Confirms the connection, after the program has moved its own queue pair to RTS. Corresponds to
     * {@code rdma_establish}.
     *
     * @throws RdmaException EINVAL if the id has a queue pair, or the peer has not accepted
     */
    public void establish() {
        operation(() -> {
            if (qp != null) {
                throw IdErrors.invalid(this + " confirms the connection itself");
            }
            connection.establish();
        });
    }

    /**
     * Tells that the first packet of the peer has arrived on a queue pair that the id does not know. Corresponds to
     * {@code rdma_notify} with {@code IBV_EVENT_COMM_EST}.
     *
     * @throws RdmaException EISCONN if the connection is established already, EINVAL if there is none
     */
    public void notifyEstablished() {
        operation(connection::notifyEstablished);
    }

    /** The first packet has arrived on the queue pair of the id. */
    void communicationEstablished() {
        operation(connection::communicationEstablished);
    }

    /**
     * Ends the connection: the queue pair goes to ERR. Event at both ends: DISCONNECTED. Corresponds to
     * {@code rdma_disconnect}.
     *
     * @throws RdmaException EINVAL if there never was one
     */
    public void disconnect() {
        operation(connection::disconnect);
        if (!space.isDatagram()) {
            complete();
        }
    }

    // Multicast

    /**
     * Joins a multicast group. Event: MULTICAST_JOIN with the address for datagrams. The queue pair of a full member,
     * which must exist, is attached to the group. Corresponds to {@code rdma_join_multicast_ex}.
     *
     * @param group IP address of the group
     * @param mode {@link JoinMode#FULL_MEMBER} corresponds to {@code rdma_join_multicast}
     * @param context object of the events
     * @throws RdmaException EINVAL for a port space of connections, another state than ADDR_BOUND or ADDR_RESOLVED, or
     *     an address that is no group; ENODEV if the id is bound to no device
     */
    public void joinMulticast(InetAddress group, JoinMode mode, @Nullable Object context) {
        operation(() -> {
            RdmaIdStateTable.call(state, RdmaIdTrigger.JOIN);
            multicast.join(Gid.of(group), mode, context);
        });
        complete();
    }

    /**
     * Leaves a group. Corresponds to {@code rdma_leave_multicast}.
     *
     * @param group IP address of the group
     * @throws RdmaException EADDRNOTAVAIL if it is not joined
     */
    public void leaveMulticast(InetAddress group) {
        operation(() -> multicast.leave(Gid.of(group)));
    }

    // Events

    /**
     * Adds an event USER to the channel. Corresponds to {@code rdma_write_cm_event}.
     *
     * @param status of the event
     * @param context object of the event
     */
    public void writeEvent(int status, @Nullable Object context) {
        lock.locked(() -> {
            post(ConnectionEventType.USER, status, new EventDetails(null, null, MemorySegment.NULL, context));
            return true;
        });
    }

    /**
     * Moves the id and its events that are not fetched to another channel. Waits until fetched events are acknowledged.
     * Corresponds to {@code rdma_migrate_id}.
     *
     * @param next the other channel; null makes the id synchronous
     * @throws RdmaException EINVAL if a synchronous id is made synchronous
     */
    public void migrate(@Nullable EventChannel next) {
        lock.locked(() -> {
            if (next == null && isSynchronous) {
                throw IdErrors.invalid(this + " is synchronous already");
            }
            move(next == null ? new EventChannel(lock) : next, next == null);
            return true;
        });
    }

    /** The request that made this id has come to a synchronous listener. */
    void becomeSynchronous(ConnectionEvent request) {
        lock.locked(() -> {
            move(new EventChannel(lock), true);
            return true;
        });
        wait.keep(request);
    }

    private void move(EventChannel next, boolean synchronous) {
        next.addId();
        awaitAcknowledgements();
        List<ConnectionEvent> pending = channel.remove(event -> event.owner() == this);
        leaveChannel();
        channel = next;
        isSynchronous = synchronous;
        pending.forEach(next::post);
    }

    private void leaveChannel() {
        channel.removeId();
        if (isSynchronous) {
            channel.close();
        }
    }

    /**
     * Ends what the id does: rejects a request, disconnects a connection, closes the queue pair. Waits until the events
     * that the program has fetched are acknowledged: a thread that has one must acknowledge it first. Idempotent.
     * Corresponds to {@code rdma_destroy_id}.
     */
    @Override
    public void close() {
        wait.acknowledgeLast();
        boolean isFirst = lock.locked(() -> {
            if (state == RdmaIdState.DESTROYING) {
                return false;
            }
            boolean isListener = state == RdmaIdState.LISTEN;
            state = RdmaIdStateTable.call(state, RdmaIdTrigger.DESTROY);
            withDevice(connection::destroy);
            destroyQp();
            if (isListener) {
                parts.listeners.remove(this);
            }
            parts.ports.release(this);
            channel.remove(event -> event.owner() == this).stream()
                    .filter(event -> event.id() != this)
                    .forEach(event -> event.id().close());
            awaitAcknowledgements();
            parts.ids.remove(this);
            return true;
        });
        if (isFirst) {
            lock.locked(() -> {
                leaveChannel();
                return true;
            });
        }
    }

    private void awaitAcknowledgements() {
        while (unacknowledged > 0) {
            acknowledgement.awaitUninterruptibly();
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
    void post(ConnectionEventType type, int status, EventDetails details) {
        channel.post(new ConnectionEvent(this, null, type, status, details));
    }

    @Override
    boolean hasRoom() {
        return waitingRequests < backlog;
    }

    @Override
    void requested(LocalDevice at, CmId cmId, CmEvent event, MemorySegment data) {
        RdmaId child = new RdmaId(parts, channel, space, false);
        child.step(RdmaIdTrigger.REQUEST);
        child.device = at;
        child.localGid = RdmaCmHeader.destination(data, 0);
        child.localPort = localPort;
        child.peerGid = RdmaCmHeader.source(data, 0);
        child.peerPort = RdmaCmHeader.SOURCE_PORT.getInt(data, 0);
        child.userContext = userContext;
        child.options = options;
        waitingRequests++;
        EventDetails details = child.connection.requested(cmId, event, data);
        channel.post(new ConnectionEvent(child, this, ConnectionEventType.CONNECT_REQUEST, 0, details));
    }

    /** Number of the id in {@code rdma resource show}. */
    int number() {
        return number;
    }

    /** True if the id is bound to the device, or listens there. */
    boolean uses(LocalDevice of) {
        return of.equals(device) || parts.listeners.devices(this).contains(of);
    }

    void fetched(ConnectionEvent event) {
        unacknowledged++;
        if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
            waitingRequests--;
        }
    }

    void acknowledged() {
        unacknowledged--;
        acknowledgement.signalAll();
    }

    @Override
    void deviceRemoved(LocalDevice removed) {
        if (removed.equals(device) && step(RdmaIdTrigger.DEVICE_REMOVED)) {
            post(ConnectionEventType.DEVICE_REMOVAL, 0);
        }
    }

    private void operation(Runnable action) {
        lock.locked(() -> {
            withDevice(action);
            return true;
        });
    }

    private void withDevice(Runnable action) {
        if (device == null) {
            action.run();
        } else {
            device.call(_ -> {
                action.run();
                return true;
            });
        }
    }

    private void complete() {
        if (isSynchronous) {
            wait.complete();
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
