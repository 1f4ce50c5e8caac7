// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.cm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The tables in which received messages find their id.
 *
 * @param <T> the ids
 */
final class CmTables<T extends CmEntry> {
    /** Service IDs that the communication manager assigns. */
    private static final long ASSIGNED = 0x0200_0000_0000_0000L;

    private static final long ASSIGNED_MASK = 0xFF00_0000_0000_0000L;

    /** A communication ID or queue pair number of a peer, with its CA GUID. */
    private record RemoteKey(int number, long guid) {}

    /**
     * A SIDR request. Two peers may choose the same request ID, so the address of the peer belongs to it: its GID, or
     * its LID if it has no GID.
     */
    record SidrKey(int requestId, @Nullable Gid gid, int lid, long serviceId) {
        static SidrKey of(int requestId, CmAddress source, long serviceId) {
            Gid gid = source.gid();
            return new SidrKey(
                    requestId, gid, gid == null ? source.addressVector().dlid() : 0, serviceId);
        }
    }

    private record SidrAnswer(MemorySegment reply, long endNs) {}

    private final Map<Integer, T> byLocalId = new HashMap<>();
    private final Map<RemoteKey, T> byRemoteId = new HashMap<>();
    private final Map<RemoteKey, T> byRemoteQpn = new HashMap<>();
    private final Map<Integer, T> byLocalQpn = new HashMap<>();
    private final Map<SidrKey, T> sidrRequests = new HashMap<>();
    private final Map<SidrKey, SidrAnswer> sidrAnswers = new LinkedHashMap<>();
    private final List<T> listeners = new ArrayList<>();
    private final Map<Long, T> exactListeners = new HashMap<>();
    private final List<T> peers = new ArrayList<>();
    private final CmDevice device;
    private final CmIdRange ids;
    private final int idMask;
    private final int idFactor;
    private int nextId;
    private long nextServiceId;

    CmTables(CmDevice device, CmIdRange ids, SplittableRandom random) {
        this.device = device;
        this.ids = ids;
        // The managers of a device assign different ones.
        nextServiceId = ASSIGNED | Integer.toUnsignedLong(ids.first());
        nextId = random.nextInt();
        idMask = random.nextInt();
        idFactor = random.nextInt() | 1;
    }

    /** True if a request of a peer can get a communication ID. */
    boolean hasFreeId() {
        return byLocalId.size() < ids.size() - 1;
    }

    /**
     * A communication ID that is neither 0 nor in use; all others come before one is repeated.
     *
     * @throws RdmaException ENOMEM if all are in use
     */
    int newLocalId() {
        if (!hasFreeId()) {
            throw new RdmaException(
                    Errno.ENOMEM, "all " + ids.size() + " communication IDs of this manager are in use: destroy some");
        }
        int id;
        do {
            id = ids.id(nextId++ * idFactor ^ idMask);
        } while (id == 0 || byLocalId.containsKey(id));
        return id;
    }

    void add(T id) {
        byLocalId.put(id.localId, id);
    }

    /** Frees the communication ID. */
    void release(T id) {
        byLocalId.remove(id.localId, id);
    }

    Collection<T> ids() {
        return byLocalId.values();
    }

    @Nullable
    T byLocalId(int localId) {
        return byLocalId.get(localId);
    }

    @Nullable
    T byRemoteId(int remoteId, long guid) {
        return byRemoteId.get(new RemoteKey(remoteId, guid));
    }

    @Nullable
    T byRemoteQpn(int qpn, long guid) {
        return byRemoteQpn.get(new RemoteKey(qpn, guid));
    }

    @Nullable
    T byLocalQpn(int qpn) {
        return byLocalQpn.get(qpn);
    }

    /** Enters the peer of a connection. */
    void addRemote(T id, int remoteQpn) {
        byRemoteId.put(new RemoteKey(id.remoteId, id.remoteGuid), id);
        byRemoteQpn.put(new RemoteKey(remoteQpn, id.remoteGuid), id);
    }

    void addLocalQpn(T id, int localQpn) {
        byLocalQpn.put(localQpn, id);
    }

    /** Frees both queue pair numbers: the connection is in time-wait, or over. */
    void removeQpns(T id) {
        ConnectionParameters connection = id.connection;
        if (connection != null) {
            byRemoteQpn.remove(new RemoteKey(connection.remoteQpn, id.remoteGuid), id);
            byLocalQpn.remove(connection.localQpn, id);
        }
    }

    void removeRemoteId(T id) {
        byRemoteId.remove(new RemoteKey(id.remoteId, id.remoteGuid), id);
    }

    /**
     * Enters a listener.
     *
     * @return its service ID, assigned if it asked for that
     * @throws RdmaException EBUSY if the service has a listener, EINVAL for a service ID in the assigned range
     */
    long listen(T id, long serviceId, long mask) {
        long service = serviceId & mask;
        if ((service & ASSIGNED_MASK) == ASSIGNED) {
            if (serviceId != ASSIGNED) {
                throw new RdmaException(
                        Errno.EINVAL, String.format("service ID %#x is in the range of assigned ones", serviceId));
            }
            do {
                nextServiceId = ASSIGNED | nextServiceId + 1 & ~ASSIGNED_MASK;
                service = nextServiceId;
            } while (exactListeners.containsKey(service));
        }
        for (T listener : listeners) {
            if (((listener.serviceId ^ service) & listener.serviceMask & mask) == 0) {
                throw new RdmaException(Errno.EBUSY, String.format("service ID %#x has a listener", service));
            }
        }
        device.claimService(service, mask);
        listeners.add(id);
        if (mask == -1) {
            exactListeners.put(service, id);
        }
        return service;
    }

    void removeListener(T id) {
        listeners.remove(id);
        device.releaseService(id.serviceId, id.serviceMask);
        exactListeners.remove(id.serviceId, id);
    }

    @Nullable
    T listener(long serviceId) {
        T exact = exactListeners.get(serviceId);
        if (exact != null) {
            return exact;
        }
        for (T listener : listeners) {
            if ((serviceId & listener.serviceMask) == listener.serviceId) {
                return listener;
            }
        }
        return null;
    }

    void addPeer(T id) {
        peers.add(id);
    }

    void removePeer(T id) {
        peers.remove(id);
    }

    boolean isPeer(T id) {
        return peers.contains(id);
    }

    /** The peer-to-peer request for a service to a peer. */
    @Nullable
    T peer(long serviceId, CmAddress source) {
        for (T id : peers) {
            if (id.serviceId == serviceId && id.isPeer(source)) {
                return id;
            }
        }
        return null;
    }

    void addSidrRequest(SidrKey key, T id) {
        sidrRequests.put(key, id);
    }

    boolean hasSidrRequest(SidrKey key) {
        return sidrRequests.containsKey(key);
    }

    void removeSidrRequest(SidrKey key) {
        sidrRequests.remove(key);
    }

    /** Keeps an answer for repeated requests, instead of the oldest one if there are too many. */
    void keepSidrAnswer(SidrKey key, MemorySegment reply, long endNs, int limit) {
        sidrAnswers.remove(key);
        if (sidrAnswers.size() >= limit && !sidrAnswers.isEmpty()) {
            sidrAnswers.remove(sidrAnswers.keySet().iterator().next());
        }
        if (limit > 0) {
            sidrAnswers.put(key, new SidrAnswer(reply, endNs));
        }
    }

    @Nullable
    MemorySegment sidrAnswer(SidrKey key, long nowNs) {
        SidrAnswer answer = sidrAnswers.get(key);
        return answer == null || answer.endNs - nowNs <= 0 ? null : answer.reply;
    }

    /** Number of entries of all tables. */
    int size() {
        return byLocalId.size()
                + byRemoteId.size()
                + byRemoteQpn.size()
                + byLocalQpn.size()
                + sidrRequests.size()
                + sidrAnswers.size()
                + listeners.size()
                + exactListeners.size()
                + peers.size();
    }
}
