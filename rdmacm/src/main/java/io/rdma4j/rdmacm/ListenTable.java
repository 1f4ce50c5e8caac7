// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.rdmacm;

import io.rdma4j.base.Errno;
import io.rdma4j.base.Gid;
import io.rdma4j.base.RdmaException;
import io.rdma4j.cm.CmEvent;
import io.rdma4j.cm.CmId;
import io.rdma4j.cm.SidrRepParameters;
import io.rdma4j.verbs.values.QpType;
import io.rdma4j.wire.mad.RdmaCmHeader;
import io.rdma4j.wire.mad.RejectReason;
import io.rdma4j.wire.mad.SidrStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The listeners: which device listens for which service ID, and to which id a request belongs. */
final class ListenTable {
    private static final System.Logger LOG = System.getLogger(ListenTable.class.getName());
    private static final Gid BROADCAST = Gid.ofIpv4(-1);
    private static final int NETWORK_SHIFT = 24;

    private record Key(LocalDevice device, long serviceId) {}

    /** Listeners with different addresses of a device share its listener. */
    private static final class SharedListen {
        final CmId cmId;
        final Set<IdView> users = new LinkedHashSet<>();

        SharedListen(CmId cmId) {
            this.cmId = cmId;
        }
    }

    private final LocalDevices devices;
    private final PortTable ports;
    private final Map<Key, SharedListen> listens = new LinkedHashMap<>();
    private final Set<IdView> wildcards = new LinkedHashSet<>();

    ListenTable(LocalDevices devices, PortTable ports) {
        this.devices = devices;
        this.ports = ports;
    }

    void add(IdView id) {
        LocalDevice device = id.device;
        if (device != null) {
            listen(device, id);
            return;
        }
        wildcards.add(id);
        try {
            devices.all().forEach(each -> listen(each, id));
        } catch (RdmaException e) {
            remove(id);
            throw e;
        }
    }

    void devicesAdded() {
        if (!wildcards.isEmpty()) {
            devices.all().forEach(device -> wildcards.forEach(id -> tryToListen(device, id)));
        }
    }

    private void tryToListen(LocalDevice device, IdView id) {
        try {
            listen(device, id);
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.WARNING, id + " does not listen on " + device.name(), e);
        }
    }

    void deviceRemoved(LocalDevice device) {
        List<Key> gone = listens.keySet().stream()
                .filter(key -> key.device.equals(device))
                .toList();
        gone.forEach(key -> destroy(device, Objects.requireNonNull(listens.remove(key))));
    }

    private void listen(LocalDevice device, IdView id) {
        long serviceId = id.portSpace().serviceId(id.localPort);
        Key key = new Key(device, serviceId);
        SharedListen shared = listens.get(key);
        if (shared == null) {
            shared = device.call(cm -> {
                CmId cmId = cm.createId((child, event) -> request(device, child, event));
                listen(cmId, device, serviceId);
                return new SharedListen(cmId);
            });
            listens.put(key, shared);
        }
        shared.users.add(id);
        ports.claim(id, device, id.localGid);
    }

    private static void listen(CmId cmId, LocalDevice device, long serviceId) {
        try {
            cmId.listen(serviceId, -1, Integer.MAX_VALUE);
        } catch (RdmaException e) {
            cmId.destroy();
            if (e.errno() != Errno.EBUSY) {
                throw e;
            }
            throw new RdmaException(
                    Errno.EADDRINUSE,
                    "another process listens on port " + PortSpace.port(serviceId) + " of " + device.name(),
                    e);
        }
    }

    /** The devices on which an id listens. */
    List<LocalDevice> devices(IdView id) {
        return listens.entrySet().stream()
                .filter(entry -> entry.getValue().users.contains(id))
                .map(entry -> entry.getKey().device)
                .toList();
    }

    void remove(IdView id) {
        wildcards.remove(id);
        List<Key> unused = new ArrayList<>();
        listens.forEach((key, shared) -> {
            if (shared.users.remove(id) && shared.users.isEmpty()) {
                unused.add(key);
            }
        });
        unused.forEach(key -> destroy(key.device, Objects.requireNonNull(listens.remove(key))));
    }

    private static void destroy(LocalDevice device, SharedListen shared) {
        device.call(_ -> {
            shared.cmId.destroy();
            return true;
        });
    }

    /** A REQ or SIDR_REQ has arrived. */
    private void request(LocalDevice device, CmId child, CmEvent event) {
        switch (event) {
            case CmEvent.ReqReceived req -> {
                IdView listener = find(
                        device, req.serviceId(), req.privateData(), req.path().pkey(), req.qpType());
                request(device, child, event, req.privateData(), listener);
            }
            case CmEvent.SidrReqReceived req -> {
                IdView listener = find(device, req.serviceId(), req.privateData(), req.pkey(), QpType.UD);
                request(device, child, event, req.privateData(), listener);
            }
            default -> {}
        }
    }

    private void request(LocalDevice device, CmId child, CmEvent event, MemorySegment data, @Nullable IdView listener) {
        if (listener == null) {
            refuse(child, event);
        } else if (!listener.hasRoom()) {
            if (event instanceof CmEvent.ReqReceived) {
                child.discard(); // The peer repeats its request.
            } else {
                refuse(child, event);
            }
        } else {
            listener.requested(device, child, event, data);
        }
    }

    private @Nullable IdView find(LocalDevice device, long serviceId, MemorySegment data, int pkey, QpType type) {
        PortSpace space = PortSpace.of(serviceId);
        if (space == null || !RdmaCmHeader.isValid(data, 0)) {
            return null;
        }
        Gid source = RdmaCmHeader.source(data, 0);
        Gid destination = RdmaCmHeader.destination(data, 0);
        if (!isUnicast(source) || isLoopback(source) != isLoopback(destination) || !device.accepts(destination, pkey)) {
            return null;
        }
        IdView listener = ports.listener(space, PortSpace.port(serviceId), destination, device);
        boolean isFor = listener != null && listener.qpType() == type && device.hasRoute(destination, source);
        return isFor ? listener : null;
    }

    /** False for addresses that no peer can have, among them those of the network 0.0.0.0/8. */
    private static boolean isUnicast(Gid source) {
        boolean isOfNoNetwork = source.isIpv4() ? source.ipv4() >>> NETWORK_SHIFT == 0 : source.isZero();
        return !isOfNoNetwork && !source.isMulticast() && !source.equals(BROADCAST);
    }

    private static boolean isLoopback(Gid address) {
        return address.toInetAddress().isLoopbackAddress();
    }

    private static void refuse(CmId child, CmEvent event) {
        if (event instanceof CmEvent.ReqReceived) {
            child.sendRej(RejectReason.CONSUMER_DEFINED, MemorySegment.NULL, MemorySegment.NULL);
        } else {
            child.sendSidrRep(SidrRepParameters.failure(SidrStatus.REJECT, MemorySegment.NULL));
        }
        child.destroy();
    }
}
