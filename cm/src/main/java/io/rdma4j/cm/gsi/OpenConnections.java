// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm.gsi;

import io.rdma4j.base.Gid;
import io.rdma4j.cm.CmAddress;
import io.rdma4j.cm.CmIdRange;
import io.rdma4j.verbs.values.AddressVector;
import io.rdma4j.verbs.values.GlobalRoute;
import io.rdma4j.wire.mad.CmMessage;
import io.rdma4j.wire.mad.CmRep;
import io.rdma4j.wire.mad.CmReq;
import io.rdma4j.wire.mad.RejectReason;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one manager has open, as its messages tell: requests of peers, and connections. The router finds repeated
 * requests in it, checks what the manager sends, and ends what a dead manager has left. Guarded by the router.
 */
final class OpenConnections {
    /** The other end of messages, as far as addresses tell it. */
    private record Peer(@Nullable Gid gid, int lid) {
        static Peer of(CmAddress address) {
            AddressVector vector = address.addressVector();
            GlobalRoute route = vector.route();
            return route == null ? new Peer(null, vector.dlid()) : new Peer(route.destination(), 0);
        }
    }

    /** A REQ or SIDR_REQ: a repeated one has the same values. */
    record RequestKey(int remoteId, long transaction, Record peer) {
        static RequestKey of(int remoteId, MemorySegment mad, CmAddress address) {
            return new RequestKey(remoteId, CmHeaders.transaction(mad), Peer.of(address));
        }
    }

    /** A request that this end has sent and that is not answered: a peer may send the same one (peer to peer). */
    record PendingKey(long serviceId, Record peer) {
        static PendingKey of(long serviceId, CmAddress address) {
            return new PendingKey(serviceId, Peer.of(address));
        }
    }

    /** The queue pair of a peer. */
    record RemoteQp(int qpn, long guid) {}

    private enum Stage {
        REQUEST_SENT,
        REPLY_SENT,
        REPLY_RECEIVED,
        ESTABLISHED
    }

    private static final class Request {
        final CmMessage kind;
        final CmAddress source;
        final long serviceId;
        final RemoteQp qp;
        boolean isAnswered;

        Request(CmMessage kind, MemorySegment mad, CmAddress source) {
            this.kind = kind;
            this.source = source;
            serviceId = CmHeaders.serviceId(kind, mad);
            qp = kind == CmMessage.REQ
                    ? new RemoteQp(
                            CmReq.LOCAL_QPN.getInt(mad, CmHeaders.BODY), CmReq.LOCAL_CA_GUID.get(mad, CmHeaders.BODY))
                    : new RemoteQp(0, 0);
        }
    }

    private static final class Connection {
        final int localId;
        final CmAddress address;
        final long transaction;
        final PendingKey pending;
        Stage stage = Stage.REQUEST_SENT;
        int remoteId;

        @Nullable
        RemoteQp qp;

        Connection(int localId, CmAddress address, long transaction, long serviceId) {
            this.localId = localId;
            this.address = address;
            this.transaction = transaction;
            pending = PendingKey.of(serviceId, address);
        }

        boolean isWith(CmAddress other) {
            return Peer.of(address).equals(Peer.of(other));
        }
    }

    /** What all managers of a device have open, to find the one that a message is for. */
    static final class Index {
        final Map<RequestKey, CmClient> requests = new HashMap<>();
        final Map<PendingKey, CmClient> pending = new HashMap<>();
        final Map<RemoteQp, CmClient> remoteQps = new HashMap<>();
    }

    private final CmClient client;
    private final Index index;
    private final CmIdRange ids;
    private final long guid;
    private final int maxRequests;
    private final int maxConnections;
    private final Map<RequestKey, Request> requests = new LinkedHashMap<>();
    private final Map<Integer, Connection> connections = new HashMap<>();

    /**
     * @param guid of the device
     * @param maxRequests beyond it the oldest request is forgotten
     * @param maxConnections beyond it connections are not known, so that their peers see the death of the manager only
     *     by their own retries
     */
    OpenConnections(CmClient client, Index index, long guid, int maxRequests, int maxConnections) {
        this.client = client;
        this.index = index;
        this.ids = client.ids();
        this.guid = guid;
        this.maxRequests = maxRequests;
        this.maxConnections = maxConnections;
    }

    /** Number of entries, for tests of the memory bounds. */
    int size() {
        return requests.size() + connections.size();
    }

    // What the manager sends

    /** Takes a message that the manager sends; false if it is not the manager's to send. */
    boolean sent(CmMessage kind, MemorySegment mad, CmAddress destination) {
        if (!mayBeSent(kind, mad, destination)) {
            return false;
        }
        int localId = CmHeaders.sender(kind, mad);
        switch (kind) {
            case REQ -> requested(localId, mad, destination);
            case REP -> replied(localId, mad, destination);
            case RTU -> establish(connections.get(localId));
            case REJ -> {
                remove(localId);
                answered(CmHeaders.receiver(kind, mad), mad, destination);
            }
            case SIDR_REP -> answered(CmHeaders.receiver(kind, mad), mad, destination);
            case DREQ, DREP -> remove(localId);
            default -> {}
        }
        return true;
    }

    private boolean mayBeSent(CmMessage kind, MemorySegment mad, CmAddress destination) {
        boolean isOwn = ids.contains(CmHeaders.sender(kind, mad));
        boolean answersOwn = requests.containsKey(RequestKey.of(CmHeaders.receiver(kind, mad), mad, destination));
        return switch (kind) {
            case REQ -> isOwn && CmReq.LOCAL_CA_GUID.get(mad, CmHeaders.BODY) == guid;
            case REP -> isOwn && answersOwn && CmRep.LOCAL_CA_GUID.get(mad, CmHeaders.BODY) == guid;
            case SIDR_REP -> answersOwn;
            case REJ, MRA ->
                CmHeaders.answersRequest(kind, mad) ? answersOwn && (isOwn || CmHeaders.sender(kind, mad) == 0) : isOwn;
            case SIDR_REQ, RTU, DREQ, DREP, LAP, APR -> isOwn;
            case SAP, SPR -> false;
        };
    }

    private void requested(int localId, MemorySegment mad, CmAddress destination) {
        Connection known = connections.get(localId);
        long transaction = CmHeaders.transaction(mad);
        boolean isRepeated = known != null && known.transaction == transaction && known.isWith(destination);
        if (!isRepeated) {
            remove(localId);
            Connection connection =
                    new Connection(localId, destination, transaction, CmHeaders.serviceId(CmMessage.REQ, mad));
            if (add(connection)) {
                index.pending.put(connection.pending, client);
            }
        }
    }

    private boolean add(Connection connection) {
        if (connections.size() >= maxConnections) {
            return false;
        }
        connections.put(connection.localId, connection);
        return true;
    }

    private void replied(int localId, MemorySegment mad, CmAddress destination) {
        int remoteId = CmHeaders.receiver(CmMessage.REP, mad);
        Request request = requests.get(RequestKey.of(remoteId, mad, destination));
        if (request == null || connections.containsKey(localId)) {
            return; // Repeated.
        }
        request.isAnswered = true;
        Connection connection = new Connection(localId, destination, CmHeaders.transaction(mad), request.serviceId);
        connection.remoteId = remoteId;
        connection.stage = Stage.REPLY_SENT;
        if (add(connection)) {
            connect(connection, request.qp);
        }
    }

    private void connect(Connection connection, RemoteQp qp) {
        connection.qp = qp;
        index.remoteQps.put(qp, client);
    }

    private static void establish(@Nullable Connection connection) {
        if (connection != null && connection.stage != Stage.REQUEST_SENT) {
            connection.stage = Stage.ESTABLISHED;
        }
    }

    private void answered(int remoteId, MemorySegment mad, CmAddress address) {
        Request request = requests.get(RequestKey.of(remoteId, mad, address));
        if (request != null) {
            request.isAnswered = true;
        }
    }

    private void remove(int localId) {
        Connection connection = connections.remove(localId);
        if (connection != null) {
            index.pending.remove(connection.pending, client);
            RemoteQp qp = connection.qp;
            if (qp != null) {
                index.remoteQps.remove(qp, client);
            }
        }
    }

    // What the manager receives

    /** Takes a message that goes to the manager. */
    void received(CmMessage kind, MemorySegment mad, CmAddress source) {
        if (kind == CmMessage.REQ || kind == CmMessage.SIDR_REQ) {
            addRequest(RequestKey.of(CmHeaders.sender(kind, mad), mad, source), new Request(kind, mad, source));
            return;
        }
        Connection connection = connections.get(CmHeaders.receiver(kind, mad));
        if (kind == CmMessage.REJ) {
            answered(CmHeaders.sender(kind, mad), mad, source); // The peer has given up its request.
        }
        if (connection == null || !connection.isWith(source)) {
            return;
        }
        switch (kind) {
            case REP -> {
                if (connection.stage == Stage.REQUEST_SENT) {
                    connection.stage = Stage.REPLY_RECEIVED;
                    connection.remoteId = CmHeaders.sender(kind, mad);
                    index.pending.remove(connection.pending, client);
                    connect(
                            connection,
                            new RemoteQp(
                                    CmRep.LOCAL_QPN.getInt(mad, CmHeaders.BODY),
                                    CmRep.LOCAL_CA_GUID.get(mad, CmHeaders.BODY)));
                }
            }
            case RTU -> establish(connection);
            case REJ, DREQ, DREP -> remove(connection.localId);
            default -> {}
        }
    }

    private void addRequest(RequestKey key, Request request) {
        if (requests.putIfAbsent(key, request) != null) {
            return;
        }
        index.requests.put(key, client);
        if (requests.size() > maxRequests) {
            RequestKey oldest = requests.keySet().iterator().next();
            requests.remove(oldest);
            index.requests.remove(oldest, client);
        }
    }

    // The end of the manager

    /**
     * Forgets everything.
     *
     * @return the messages that end what was open, as the destruction of the ids would send them
     */
    List<CmDatagram> end(int agent) {
        List<CmDatagram> farewells = new ArrayList<>();
        requests.forEach((key, request) -> {
            index.requests.remove(key, client);
            if (!request.isAnswered) {
                MemorySegment rejection = request.kind == CmMessage.REQ
                        ? CmHeaders.rej(0, key.remoteId, key.transaction, 0, RejectReason.CONSUMER_DEFINED, 0)
                        : CmHeaders.sidrRejection(key.remoteId, key.transaction, request.serviceId);
                farewells.add(new CmDatagram(rejection, request.source));
            }
        });
        requests.clear();
        for (Connection connection : List.copyOf(connections.values())) {
            farewells.add(new CmDatagram(farewell(connection, agent), connection.address));
            remove(connection.localId);
        }
        return farewells;
    }

    private MemorySegment farewell(Connection connection, int agent) {
        int local = connection.localId;
        int remote = connection.remoteId;
        RemoteQp qp = connection.qp;
        if (connection.stage == Stage.REQUEST_SENT || qp == null) {
            return CmHeaders.rej(local, 0, connection.transaction, 2, RejectReason.TIMEOUT, guid);
        }
        return switch (connection.stage) {
            case ESTABLISHED ->
                CmHeaders.dreq(
                        local,
                        remote,
                        (long) agent << Integer.SIZE | Integer.toUnsignedLong(Integer.reverseBytes(local)),
                        qp.qpn);
            case REPLY_RECEIVED ->
                CmHeaders.rej(local, remote, connection.transaction, 1, RejectReason.CONSUMER_DEFINED, 0);
            default -> CmHeaders.rej(local, remote, connection.transaction, 2, RejectReason.CONSUMER_DEFINED, 0);
        };
    }
}
