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
import io.rdma4j.verbs.values.EventType;
import io.rdma4j.verbs.values.QpAttributes;
import io.rdma4j.verbs.values.QpState;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.RdmaCmHeader;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;
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
public final class RdmaId extends AddressedId implements AutoCloseable {
    private static final int MAX_BACKLOG = 1024;

    private final int number;
    private final Condition acknowledgement;
    private final IdMulticast multicast;
    private final IdQueues queues;
    private final SyncWait wait;

    // Guarded by the lock.
    private EventChannel channel;
    private boolean isSynchronous;
    private int backlog;
    private int waitingRequests;
    private @Nullable Object userContext;
    /** The events that the program has fetched and not acknowledged. */
    private final List<ConnectionEvent> unacknowledged = new ArrayList<>();

    private @Nullable QpEventWatch watch;

    RdmaId(ManagerParts parts, EventChannel channel, PortSpace space, QpType qpType, boolean isSynchronous) {
        super(parts, space, qpType);
        this.channel = channel;
        number = parts.newIdNumber();
        this.isSynchronous = isSynchronous;
        acknowledgement = lock.newCondition();
        multicast = new IdMulticast(this);
        queues = new IdQueues(this, parts);
        wait = new SyncWait();
        channel.addId();
        parts.ids.add(this);
    }

    // What the program may read

    /** {@return the state} */
    public RdmaIdState state() {
        return state;
    }

    /** {@return the channel of its events} */
    public EventChannel channel() {
        return channel;
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

    // Queue pair

    /**
     * Creates the queue pair of the id. One for connections goes to INIT, one of type UD to RTS. The id moves it on,
     * and closes it with itself. Corresponds to {@code rdma_create_qp} and {@code rdma_create_qp_ex}.
     *
     * @param pd domain of a context of the id's device; null for the one that all ids of the device share
     * @param attributes type and sizes. Completion queues that are null are made, each with a channel. A shared
     *     receive queue that is null is that of {@link #queues}, an XRC domain that is null the one that all ids of the
     *     device share
     * @return the queue pair
     * @throws RdmaException EINVAL if there is one already, no device yet, a completion queue is not the one that the
     *     id has made, or the domain belongs to another device; errors of {@link ProtectionDomain#createQp}
     */
    public QueuePair createQp(@Nullable ProtectionDomain pd, QpInitAttributes attributes) {
        return lock.locked(() -> {
            checkNoQp();
            QueuePair created = queues.createQp(pd, attributes);
            try {
                attach(new VerbsQp(created));
            } catch (RdmaException e) {
                created.close();
                queues.closeUnused();
                throw e;
            }
            watch = new QpEventWatch(created, requireDevice(), event -> lock.defer(() -> happened(event)));
            return created;
        });
    }

    /** {@return the other queues of the id} */
    public IdQueues queues() {
        return queues;
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
            queues.closeUnused();
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
        return wait.last;
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
        if (!isDatagram()) {
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
        operation(() -> connection.reject(RejectReason.CONSUMER_DEFINED, privateData));
    }

    /**
     * Rejects the request that made this id because of the options of the vendor, {@link #remoteEce}. The peer gets
     * reason 35. Corresponds to {@code rdma_reject_ece}.
     *
     * @param privateData as for {@link #reject}
     * @throws RdmaException as {@link #reject}
     */
    public void rejectEce(MemorySegment privateData) {
        operation(() -> connection.reject(RejectReason.VENDOR_OPTION_NOT_SUPPORTED, privateData));
    }

    /**
     * Confirms the connection, after the program has moved its own queue pair to RTS. Corresponds to
     * {@code rdma_establish}.
     *
     * @throws RdmaException EINVAL if the id has a queue pair, or the peer has not accepted
     */
    public void establish() {
        operation(() -> {
            checkExternalQp("the confirmation");
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

    /**
     * Tells that the queue pair has migrated to the alternate path of {@link #setPath}: event PATH_MIG. The messages of
     * the connection follow it. Corresponds to {@code rdma_notify} with {@code IBV_EVENT_PATH_MIG}.
     *
     * @throws RdmaException EINVAL if there is no connection with an alternate path
     */
    public void notifyPathMigrated() {
        operation(connection::notifyPathMigrated);
    }

    /** An event of the queue pair of the id. */
    void happened(EventType event) {
        operation(() -> connection.happened(event));
    }

    /**
     * Ends the connection: the queue pair goes to ERR. Event at both ends: DISCONNECTED. Corresponds to
     * {@code rdma_disconnect}.
     *
     * @throws RdmaException EINVAL if there never was one
     */
    public void disconnect() {
        operation(connection::disconnect);
        if (!isDatagram()) {
            complete();
        }
    }

    // Multicast

    /**
     * Joins a multicast group. Events: MULTICAST_JOIN with the address for datagrams, or MULTICAST_ERROR if the device
     * refuses, for example because the group has too many members. On InfiniBand the subnet administrator is asked; if
     * the subnet loses the group, there is a MULTICAST_ERROR with -ENETRESET and then the result of another join. The
     * queue pair of a full member is attached to the group; a program attaches a queue pair that the id does not know.
     * Corresponds to {@code rdma_join_multicast_ex}.
     *
     * @param group IP address of the group
     * @param mode {@link JoinMode#FULL_MEMBER} corresponds to {@code rdma_join_multicast}
     * @param context object of the events
     * @throws RdmaException EINVAL for a port space of connections, another state than ADDR_BOUND or ADDR_RESOLVED, or
     *     an address that is no group; ENODEV if the id is bound to no device; EAGAIN while an InfiniBand port
     *     has no subnet administrator
     */
    public void joinMulticast(InetAddress group, JoinMode mode, @Nullable Object context) {
        operation(() -> {
            RdmaIdStateTable.call(state, RdmaIdTrigger.JOIN);
            multicast.join(Gid.of(group), mode, context);
        });
        complete();
    }

    /**
     * Leaves a group. Drops the events of the join that the program has not fetched, and waits until it has
     * acknowledged those that it has fetched. Corresponds to {@code rdma_leave_multicast}.
     *
     * @param group IP address of the group
     * @throws RdmaException EADDRNOTAVAIL if it is not joined
     */
    public void leaveMulticast(InetAddress group) {
        wait.acknowledgeLast();
        Gid gid = Gid.of(group);
        operation(() -> multicast.leave(gid));
        lock.locked(() -> {
            Predicate<ConnectionEvent> isOfGroup = event -> event.owner() == this && gid.equals(event.group());
            channel.remove(isOfGroup);
            while (unacknowledged.stream().anyMatch(isOfGroup)) {
                acknowledgement.awaitUninterruptibly();
            }
            return true;
        });
    }

    // Events

    /**
     * Adds an event USER to the channel. Corresponds to {@code rdma_write_cm_event}.
     *
     * @param status of the event
     * @param context object of the event
     * @throws RdmaException EINVAL if the id is closed
     */
    public void writeEvent(int status, @Nullable Object context) {
        lock.locked(() -> {
            checkNotClosed();
            post(ConnectionEventType.USER, status, new EventDetails(null, null, MemorySegment.NULL, context, null));
            return true;
        });
    }

    /**
     * Moves the id and its events that are not fetched to another channel. Waits until fetched events are acknowledged.
     * Corresponds to {@code rdma_migrate_id}.
     *
     * @param next the other channel; null makes the id synchronous
     * @throws RdmaException EINVAL if a synchronous id is made synchronous, or the id or the channel is closed
     */
    public void migrate(@Nullable EventChannel next) {
        lock.locked(() -> {
            checkNotClosed();
            if (next == null && isSynchronous) {
                throw IdErrors.invalid(this + " is synchronous already");
            }
            move(next == null ? new EventChannel(lock) : next, next == null);
            return true;
        });
    }

    private void checkNotClosed() {
        if (state == RdmaIdState.DESTROYING) {
            throw IdErrors.invalid(this + " is closed");
        }
    }

    /** The request that made this id has come to a synchronous listener. */
    void becomeSynchronous(ConnectionEvent request) {
        lock.locked(() -> {
            move(new EventChannel(lock), true);
            return true;
        });
        wait.last = request;
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
            multicast.leaveAll();
            queues.close();
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
        while (!unacknowledged.isEmpty()) {
            acknowledgement.awaitUninterruptibly();
        }
    }

    // For the other classes of the package, with the lock

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
        RdmaId child = new RdmaId(parts, channel, portSpace(), qpType(), false);
        child.step(RdmaIdTrigger.REQUEST);
        child.device = at;
        child.localGid = RdmaCmHeader.destination(data, 0);
        child.localPort = localPort;
        child.peerGid = RdmaCmHeader.source(data, 0);
        child.peerPort = RdmaCmHeader.SOURCE_PORT.getInt(data, 0);
        child.boundInterface = IdAddresses.isLinkLocal(child.localGid) ? at.interfaceIndex() : 0;
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
        unacknowledged.add(event);
        if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
            waitingRequests--;
        }
    }

    void acknowledged(ConnectionEvent event) {
        unacknowledged.remove(event);
        acknowledgement.signalAll();
    }

    @Override
    void deviceRemoved(LocalDevice removed) {
        if (removed.equals(device) && step(RdmaIdTrigger.DEVICE_REMOVED)) {
            post(ConnectionEventType.DEVICE_REMOVAL, 0);
        }
    }

    @Override
    void complete() {
        if (isSynchronous) {
            wait.complete();
        }
    }

    /** The waits of a synchronous id for its events. Without the lock. */
    private final class SyncWait {
        private volatile @Nullable ConnectionEvent last;

        /** Waits for the next request to a listener, and returns its id. */
        RdmaId request() {
            ConnectionEvent event = next();
            event.acknowledge();
            RdmaId child = event.id();
            child.becomeSynchronous(event);
            return child;
        }

        private ConnectionEvent next() {
            try {
                return channel.get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RdmaException(Errno.EINTR, RdmaId.this + " waited for an event", e);
            }
        }

        void acknowledgeLast() {
            ConnectionEvent previous = last;
            if (previous != null) {
                previous.close();
                last = null;
            }
        }

        /** Waits for the event of a call, and returns or throws its outcome. */
        void complete() {
            acknowledgeLast();
            ConnectionEvent event = next();
            last = event;
            if (event.type() == ConnectionEventType.REJECTED) {
                throw new RdmaException(
                        Errno.ECONNREFUSED, RdmaId.this + " was rejected with reason " + event.status());
            }
            if (event.status() != 0) {
                throw new RdmaException(IdErrors.ofStatus(event.status()), event.toString());
            }
        }
    }
}
