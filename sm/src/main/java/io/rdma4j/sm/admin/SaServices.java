// SPDX-License-Identifier: Apache-2.0
package io.rdma4j.sm.admin;

import io.rdma4j.base.Deadline;
import io.rdma4j.base.Gid;
import io.rdma4j.sm.sweep.SubnetSnapshot;
import io.rdma4j.sm.topology.SharedPkeys;
import io.rdma4j.sm.topology.SmPort;
import io.rdma4j.wire.mad.MadField;
import io.rdma4j.wire.mad.MadStatus;
import io.rdma4j.wire.mad.sa.ServiceRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The services that ports have registered (IBA 15.2.5.14). A record ends with its lease. */
final class SaServices {
    private static final long FOR_EVER = 0xFFFF_FFFFL;
    private static final long SECOND_NS = 1_000_000_000;
    private static final int ANY_PKEY = 0xFFFF;
    private static final int MAX_SERVICES = 65_536;

    private record Key(long id, Gid gid, int pkey) {}

    /** @param endNs time at which the lease ends, or NEVER */
    private record Service(MemorySegment record, long endNs) {}

    private final Map<Key, Service> services = new LinkedHashMap<>();

    private static boolean has(long mask, MadField field) {
        return (mask & field.componentMask()) != 0;
    }

    private static Key key(MemorySegment record, long mask) {
        int pkey = has(mask, ServiceRecord.SERVICE_PKEY) ? ServiceRecord.SERVICE_PKEY.getInt(record, 0) : 0;
        return new Key(ServiceRecord.SERVICE_ID.get(record, 0), ServiceRecord.SERVICE_GID.gid(record, 0), pkey);
    }

    /**
     * Registers a service, or replaces its record.
     *
     * @param record of the request; it becomes that of the answer
     * @return {@link MadStatus}
     */
    int set(MemorySegment record, long mask, SubnetSnapshot snapshot, long nowNs) {
        if (!has(mask, ServiceRecord.SERVICE_ID)
                || !has(mask, ServiceRecord.SERVICE_GID)
                || !isMember(record, mask, snapshot)) {
            return MadStatus.SA_INVALID_REQUEST;
        }
        Key key = key(record, mask);
        if (!services.containsKey(key) && services.size() == MAX_SERVICES) {
            return MadStatus.SA_NO_RESOURCES;
        }
        boolean isLeased = has(mask, ServiceRecord.SERVICE_LEASE);
        long seconds = isLeased ? ServiceRecord.SERVICE_LEASE.get(record, 0) : FOR_EVER;
        ServiceRecord.SERVICE_LEASE.put(record, 0, seconds);
        MemorySegment kept = MemorySegment.ofArray(new byte[ServiceRecord.LAYOUT.bytes()]);
        kept.copyFrom(record.asSlice(0, kept.byteSize()));
        ServiceRecord.SERVICE_PKEY.put(kept, 0, key.pkey());
        if (!has(mask, ServiceRecord.SERVICE_PKEY)) {
            ServiceRecord.SERVICE_PKEY.put(record, 0, ANY_PKEY);
        }
        services.put(
                key,
                new Service(kept, seconds == FOR_EVER ? Deadline.NEVER : Deadline.after(nowNs, seconds * SECOND_NS)));
        expire(nowNs);
        return MadStatus.SUCCESS;
    }

    /** A P_Key of a service is one of its port. */
    private static boolean isMember(MemorySegment record, long mask, SubnetSnapshot snapshot) {
        SmPort end = snapshot.endOf(ServiceRecord.SERVICE_GID.gid(record, 0));
        return !has(mask, ServiceRecord.SERVICE_PKEY)
                || end != null && SharedPkeys.has(end, ServiceRecord.SERVICE_PKEY.getInt(record, 0));
    }

    /**
     * Deletes a service.
     *
     * @param record of the request; it becomes that of the answer
     * @return {@link MadStatus}
     */
    int delete(MemorySegment record, long mask) {
        Service removed = services.remove(key(record, mask));
        if (removed == null) {
            return MadStatus.SA_NO_RECORDS;
        }
        record.copyFrom(removed.record());
        return MadStatus.SUCCESS;
    }

    /**
     * Returns the records of all services with the rest of their leases.
     *
     * @param isTrusted the key of a service is shown to such a requester only
     */
    List<MemorySegment> records(boolean isTrusted, long nowNs) {
        List<MemorySegment> records = new ArrayList<>();
        for (Service service : services.values()) {
            MemorySegment record = MemorySegment.ofArray(new byte[ServiceRecord.LAYOUT.bytes()]);
            record.copyFrom(service.record());
            if (service.endNs() != Deadline.NEVER) {
                ServiceRecord.SERVICE_LEASE.put(
                        record, 0, Math.ceilDiv(Math.max(0, service.endNs() - nowNs), SECOND_NS));
            }
            if (!isTrusted) {
                ServiceRecord.SERVICE_KEY.bytes(record, 0).fill((byte) 0);
            }
            records.add(record);
        }
        return records;
    }

    void clear() {
        services.clear();
    }

    long nextNs() {
        long next = Deadline.NEVER;
        for (Service service : services.values()) {
            next = Deadline.earlier(next, service.endNs());
        }
        return next;
    }

    /** Removes the services whose lease has ended. */
    void expire(long nowNs) {
        services.values().removeIf(service -> Deadline.isDue(service.endNs(), nowNs));
    }
}
